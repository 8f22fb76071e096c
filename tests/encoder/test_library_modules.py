"""The pooler by hand, against the model's own."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from bertviz_core.bert import load_bert
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.library_modules import pooler_steps
from bertviz_core.tokens import tokenize
from tests.data.damage import change_tensor


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
