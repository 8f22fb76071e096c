"""The pooler by hand, against the model's own."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from bertviz_core.bert import Bert, load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.library_modules import (
    ORDERS,
    pooler_steps,
    sums_in_all_orders,
)
from bertviz_core.tokens import TokenizedText, tokenize
from tests.data.damage import change_tensor


@pytest.fixture(scope="module")
def text(minilm: Bert) -> TokenizedText:
    return tokenize(minilm, "I love my pet python", "She is Zoe")


def test_the_librarys_order_is_bit_identical(minilm_encoder: Encoder, text: TokenizedText) -> None:
    found = sums_in_all_orders(minilm_encoder, text)
    # a + b is b + a: of the six orders two keep position last.
    exact = [order for order, gap in zip(ORDERS, found.differences, strict=True) if gap == 0]
    assert exact == [order for order in ORDERS if order[2] == "position"]
    assert found.equal_cells[found.differences == 0].tolist() == [1.0, 1.0]
    assert (found.differences < 2e-6).all()
    assert ((found.equal_cells > 0) & (found.equal_cells <= 1)).all()
    assert found.largest == np.abs(minilm_encoder.embedding_layer(text)).max()
    for a, b in ((0, 2), (1, 4), (3, 5)):  # the same last term
        assert found.sum_differences[a] == found.sum_differences[b]


def test_a_trained_bias_is_noticed(folder: Path) -> None:
    change_tensor(folder, "pooler.dense.bias", lambda bias: np.eye(8, dtype=np.float32)[0])
    bert = load_bert(folder)
    assert not pooler_steps(load_encoder(bert), tokenize(bert, "the cat")).zero_bias


@pytest.mark.parametrize("sentence", ["Sinan loves a beautiful day", "", "dog " * 600])
def test_each_step_from_the_files_weights(minilm_encoder: Encoder, sentence: str) -> None:
    bert = minilm_encoder.bert
    text = tokenize(bert, sentence)
    steps = pooler_steps(minilm_encoder, text)
    assert steps.difference == 0
    np.testing.assert_allclose(steps.cls, minilm_encoder.hidden_states(text)[-1, 0], atol=1e-5)
    weights = load_file(bert.checkpoint.weights)
    dense = weights["pooler.dense.weight"].astype(np.float64) @ steps.cls
    dense += weights["pooler.dense.bias"]
    np.testing.assert_allclose(steps.dense, dense, atol=1e-6)
    np.testing.assert_allclose(steps.output, np.tanh(dense), atol=1e-6)
    lengths = np.linalg.norm(steps.cls) * np.linalg.norm(steps.output)
    assert steps.cosine == pytest.approx(float(steps.cls @ steps.output / lengths), abs=1e-5)
    assert (steps.own.dtype, steps.own.shape) == (np.float32, (384,))
    assert steps.zero_bias == (not weights["pooler.dense.bias"].any())
