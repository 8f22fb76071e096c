"""The arrays of the embedding layer, read from files of every kind."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.checkpoint import WEIGHTS
from bertviz_core.checkpoints.parameters import count_parameters
from bertviz_core.errors import ModelUnavailableError
from tests.data import damage
from tests.data.damage import Tensors, change_settings, change_tensor, change_weights, failure
from tests.tiny import VOCABULARY

TABLES = {
    "word_embeddings": damage.WORDS,
    "position_embeddings": damage.POSITIONS,
    "token_type_embeddings": damage.SEGMENTS,
    "layer_norm_weight": "embeddings.LayerNorm.weight",
    "layer_norm_bias": "embeddings.LayerNorm.bias",
}
ROWS = len(VOCABULARY)


@pytest.mark.parametrize("which", ["tiny", "minilm"])
def test_the_tables_are_the_files_tensors(which: str, request: pytest.FixtureRequest) -> None:
    bert: Bert = request.getfixturevalue(which)
    tensors = load_file(bert.checkpoint.weights)
    norms = np.linalg.norm(tensors[damage.WORDS], axis=1)
    np.testing.assert_allclose(bert.tables.word_norms, norms, rtol=1e-6)
    for name, tensor in TABLES.items():
        np.testing.assert_array_equal(getattr(bert.tables, name), tensors[tensor])
    for array in vars(bert.tables).values():
        assert array.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_norms_by_hand(folder: Path) -> None:
    rows = np.eye(ROWS, 8, dtype=np.float32) * [3, 5, 0, 1, 1, 1, 1, 1]
    rows[0, 1] = -4
    change_tensor(folder, damage.WORDS, lambda _: rows.astype(np.float32))
    assert load_bert(folder).tables.word_norms[:3].tolist() == [5, 5, 0]


def prefixed(tensors: Tensors) -> Tensors:
    return {f"bert.{name}": tensor for name, tensor in tensors.items()}


def beside_a_head(tensors: Tensors) -> Tensors:
    """As in files for masked-language modelling, with a further tensor that is no parameter."""
    return prefixed(tensors) | {
        "cls.predictions.bias": np.zeros(3, np.float32),
        "bert.embeddings.position_ids": np.arange(16)[None],
    }


def unprefixed_old_names(tensors: Tensors) -> Tensors:
    old = damage.old_names(tensors)
    return {name.removeprefix("bert."): tensor for name, tensor in old.items()}


@pytest.mark.parametrize(
    "change",
    [prefixed, unprefixed_old_names, damage.old_names, beside_a_head],
    ids=["bert. prefix", "gamma and beta", "both", "with a head"],
)
def test_every_style_of_tensor_names(
    tiny: Bert, folder: Path, change: Callable[[Tensors], Tensors]
) -> None:
    change_weights(folder, change)
    for name, array in vars(load_bert(folder).tables).items():
        np.testing.assert_array_equal(array, getattr(tiny.tables, name))


def test_half_precision_is_widened_without_change(tiny: Bert, folder: Path) -> None:
    change_weights(folder, damage.half_precision)
    words = load_bert(folder).tables.word_embeddings
    assert words.dtype == np.float32
    np.testing.assert_array_equal(words, tiny.tables.word_embeddings.astype(np.float16))


def test_bfloat16_is_refused(folder: Path) -> None:
    import torch
    from safetensors.torch import load_file as load_tensors
    from safetensors.torch import save_file as save_tensors

    tensors = load_tensors(folder / WEIGHTS)
    save_tensors({name: t.to(torch.bfloat16) for name, t in tensors.items()}, folder / WEIGHTS)
    assert "word_embeddings.weight as BF16; expected F32 or F16" in failure(folder)


@pytest.mark.parametrize("tensor", TABLES.values())
def test_a_missing_tensor(folder: Path, tensor: str) -> None:
    damage.remove_tensors(folder, tensor)
    assert f"model.safetensors of mine has no tensor {tensor}" in failure(folder)


@pytest.mark.parametrize(
    ("size", "said", "held", "tensor"),
    [
        ("max_position_embeddings", 17, (16, 8), "position_embeddings"),
        ("type_vocab_size", 3, (2, 8), "token_type_embeddings"),
        ("vocab_size", ROWS + 4, (ROWS, 8), "word_embeddings"),
    ],
)
def test_a_tensor_of_another_shape(
    folder: Path, size: str, said: int, held: tuple[int, int], tensor: str
) -> None:
    change_settings(folder, **{size: said})
    message = failure(folder)
    assert f"embeddings.{tensor}.weight of shape {held}" in message
    assert f"expected {(said, 8)} by config.json" in message


@pytest.mark.parametrize("kept", [0, 4, 200, -1, None])
def test_weights_that_are_cut_off_or_something_else(folder: Path, kept: int | None) -> None:
    content = (folder / WEIGHTS).read_bytes()
    page = b"<html>Please log in to the network</html>" * 9
    checkpoint = load_bert(folder).checkpoint
    (folder / WEIGHTS).write_bytes(page if kept is None else content[:kept])
    message = "model.safetensors of mine cannot be read; expected a complete safetensors file."
    assert failure(folder) == message
    with pytest.raises(ModelUnavailableError, match=message):
        count_parameters(checkpoint)
