"""The head for masked words, against `BertForMaskedLM`, under all names that files give it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import load_bert
from bertviz_core.encoder.masked_words import lacking, masked_word_head
from bertviz_core.errors import ModelUnavailableError
from tests.data.damage import (
    Tensors,
    change_settings,
    change_weights,
    gamma_beta,
    half_precision,
    remove_tensors,
)
from tests.tiny import write_checkpoint

TABLE = "bert.embeddings.word_embeddings.weight"
BIAS, ROWS = "cls.predictions.bias", "cls.predictions.decoder.weight"
VECTORS = np.random.default_rng(5).normal(size=(4, 8)).astype(np.float32)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A checkpoint with the head that a test may change."""
    return write_checkpoint(tmp_path / "mine", masked_words=True)


def library_logits(folder: Path) -> np.ndarray:
    import torch
    from transformers import BertForMaskedLM

    model = BertForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        return model.cls(torch.tensor(VECTORS)).numpy()


def logits(folder: Path) -> np.ndarray:
    bert = load_bert(folder)
    assert lacking(bert) == ()
    return masked_word_head(bert).logits(VECTORS)


def no_prefix(tensors: Tensors) -> Tensors:
    return {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}


def rows_as_the_table(tensors: Tensors) -> Tensors:
    return tensors | {ROWS: tensors[TABLE].copy()}


def bias_beside_the_rows(tensors: Tensors) -> Tensors:
    return {"cls.predictions.decoder.bias": tensors.pop(BIAS), **tensors}


@pytest.mark.parametrize("change", [gamma_beta, no_prefix, rows_as_the_table, bias_beside_the_rows])
@pytest.mark.parametrize("settings", [{}, {"hidden_act": "gelu_new"}, {"layer_norm_eps": 0.1}])
def test_equals_the_library_under_any_name(
    mine: Path, change: Callable[[Tensors], Tensors], settings: dict[str, object]
) -> None:
    assert ROWS not in load_bert(mine).other_tensors, "it is the token table"
    change_settings(mine, **settings)
    change_weights(mine, half_precision)
    expected = library_logits(mine)
    change_weights(mine, change)
    ours = logits(mine)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, expected, atol=1e-5)


def test_rows_of_its_own(mine: Path) -> None:
    """Where the file holds others than the token table, the head has these."""
    before = logits(mine)
    change_weights(mine, lambda tensors: tensors | {ROWS: 2 * tensors[TABLE]})
    bias = logits(mine) - 2 * before
    assert np.abs(bias - bias[0]).max() < 1e-4, "twice the product, once the bias"
    np.testing.assert_allclose(logits(mine), library_logits(mine), atol=1e-5)


@pytest.mark.parametrize("name", [BIAS, "cls.predictions.transform.dense.weight"])
def test_an_incomplete_head_is_none(mine: Path, name: str) -> None:
    remove_tensors(mine, name)
    bert = load_bert(mine)
    assert lacking(bert) == (name,)
    with pytest.raises(ModelUnavailableError, match=name):
        masked_word_head(bert)
    change_weights(mine, lambda tensors: tensors | {name: np.zeros(5, np.float32)})
    with pytest.raises(ModelUnavailableError, match=r"5.*but|expected|shape"):
        masked_word_head(load_bert(mine))
    remove_tensors(mine, name)
    change_settings(mine, tie_word_embeddings=False)
    assert set(lacking(load_bert(mine))) == {name, ROWS}, "these rows are not the token table"
