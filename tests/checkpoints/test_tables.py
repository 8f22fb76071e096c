"""The arrays of the embedding layer, read from files of every kind."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.checkpoint import WEIGHTS
from bertviz_core.checkpoints.tables import EmbeddingTables
from tests.damaged_copy import Tensors, change_settings, change_weights, failure
from tests.tiny import VOCABULARY

TABLES = {
    "word_embeddings": "embeddings.word_embeddings.weight",
    "position_embeddings": "embeddings.position_embeddings.weight",
    "token_type_embeddings": "embeddings.token_type_embeddings.weight",
    "layer_norm_weight": "embeddings.LayerNorm.weight",
    "layer_norm_bias": "embeddings.LayerNorm.bias",
}
ROWS = len(VOCABULARY)


def assert_same_tables(a: EmbeddingTables, b: EmbeddingTables) -> None:
    for name in (*TABLES, "word_norms"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_the_embedded_tables_are_the_files_tensors(minilm: Bert) -> None:
    tensors = load_file(minilm.checkpoint.weights)
    for name, tensor in TABLES.items():
        np.testing.assert_array_equal(getattr(minilm.tables, name), tensors[tensor])


def test_the_tables_are_the_parameters_of_the_library(tiny: Bert, tiny_folder: Path) -> None:
    from transformers import BertModel

    parameters = dict(BertModel.from_pretrained(tiny_folder).named_parameters())
    for name, parameter in TABLES.items():
        np.testing.assert_array_equal(
            getattr(tiny.tables, name), parameters[parameter].detach().numpy()
        )


def test_shapes_types_and_norms(tiny: Bert) -> None:
    tables = tiny.tables
    assert tables.word_embeddings.shape == (tiny.vocab_size, 8)
    assert tables.position_embeddings.shape == (16, 8)
    assert tables.token_type_embeddings.shape == (2, 8)
    assert tables.layer_norm_weight.shape == tables.layer_norm_bias.shape == (8,)
    row = [float(value) for value in tables.word_embeddings[5]]
    assert tiny.tables.word_norms[5] == pytest.approx(sum(v * v for v in row) ** 0.5, rel=1e-6)
    assert tiny.tables.word_norms[0] == 0.0  # the row of [PAD] is all zeros
    for name in (*TABLES, "word_norms"):
        assert getattr(tables, name).dtype == np.float32


def test_norms_by_hand(folder: Path) -> None:
    def three_four_five(tensors: Tensors) -> Tensors:
        tensors[TABLES["word_embeddings"]][1] = [3, -4, 0, 0, 0, 0, 0, 0]
        return tensors

    change_weights(folder, three_four_five)
    assert load_bert(folder).tables.word_norms[1] == 5.0


def test_the_arrays_are_read_only(tiny: Bert) -> None:
    for name in (*TABLES, "word_norms"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tiny.tables, name)[0] = 1.0


def prefixed(tensors: Tensors) -> Tensors:
    return {f"bert.{name}": tensor for name, tensor in tensors.items()}


def old_names(tensors: Tensors) -> Tensors:
    return {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor
        for name, tensor in tensors.items()
    }


def beside_a_head(tensors: Tensors) -> Tensors:
    """As in files for masked-language modelling, with a further tensor that is no parameter."""
    return prefixed(tensors) | {
        "cls.predictions.bias": np.zeros(3, np.float32),
        "bert.embeddings.position_ids": np.arange(16)[None],
    }


@pytest.mark.parametrize(
    "change",
    [prefixed, old_names, lambda tensors: prefixed(old_names(tensors)), beside_a_head],
    ids=["bert. prefix", "gamma and beta", "both", "with a head"],
)
def test_every_style_of_tensor_names(
    tiny: Bert, folder: Path, change: Callable[[Tensors], Tensors]
) -> None:
    change_weights(folder, change)
    assert_same_tables(load_bert(folder).tables, tiny.tables)


def test_half_precision_is_widened_without_change(tiny: Bert, folder: Path) -> None:
    change_weights(folder, lambda ts: {name: t.astype(np.float16) for name, t in ts.items()})
    words = load_bert(folder).tables.word_embeddings
    assert words.dtype == np.float32
    expected = tiny.tables.word_embeddings.astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(words, expected)


def test_bfloat16_is_refused(folder: Path) -> None:
    import torch
    from safetensors.torch import load_file as load_tensors
    from safetensors.torch import save_file as save_tensors

    tensors = load_tensors(folder / WEIGHTS)
    save_tensors({name: t.to(torch.bfloat16) for name, t in tensors.items()}, folder / WEIGHTS)
    assert "word_embeddings.weight as BF16; expected F32 or F16" in failure(folder)


@pytest.mark.parametrize("tensor", TABLES.values())
def test_a_missing_tensor(folder: Path, tensor: str) -> None:
    change_weights(folder, lambda ts: {name: t for name, t in ts.items() if name != tensor})
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


@pytest.mark.parametrize("kept", [0, 4, 200, -1])
def test_truncated_weights(folder: Path, kept: int) -> None:
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(content[:kept])
    assert "model.safetensors of mine cannot be read" in failure(folder)


def test_weights_that_are_something_else(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes(b"<html>Please log in to the network</html>" * 9)
    assert "expected a complete safetensors file" in failure(folder)
