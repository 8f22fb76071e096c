"""The count of parameters from a file's header, against transformers and by hand."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.checkpoints.parameters import (
    BERT_BASE,
    Census,
    count_parameters,
    counts_by_formula,
    parameter_shapes,
)
from bertviz_core.errors import ModelUnavailableError


def from_library(**sizes: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of a BertModel, without memory for them."""
    import torch
    from transformers import BertConfig, BertModel

    with torch.device("meta"):
        model = BertModel(BertConfig(**sizes))
    return {name: tuple(p.shape) for name, p in model.named_parameters()}


def saved(folder: Path, tensors: dict[str, np.ndarray]) -> Census:
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return count_parameters(Checkpoint("made", folder, "folder"))


def numbered(*names: str) -> dict[str, np.ndarray]:
    return {name: np.zeros(place + 1, np.float32) for place, name in enumerate(names)}


@pytest.mark.parametrize("sizes", [BERT_BASE, {**BERT_BASE, "hidden_size": 24, "vocab_size": 7}])
def test_the_shapes_of_the_library_in_its_order(sizes: dict[str, int]) -> None:
    ours, theirs = parameter_shapes(sizes), from_library(**sizes)
    assert list(ours.items()) == list(theirs.items())


def test_the_tiny_one_by_hand(tiny: Bert) -> None:
    census = count_parameters(tiny.checkpoint)
    # V = 35, P = 16, T = 2, H = 8, L = 2, I = 16.
    rows = (tiny.vocab_size + 16 + 2) * 8
    layer = 4 * (8 * 8 + 8) + 2 * 8 + (16 * 8 + 16) + (8 * 16 + 8) + 2 * 8
    assert census.by_group == {
        "embedding": rows + 2 * 8,
        "encoder layers": 2 * layer,
        "pooler": 8 * 8 + 8,
    }
    assert census.total == sum(census.by_group.values())
    assert census.two_dimensional == rows + 2 * (4 * 64 + 2 * 128) + 64
    assert census.left_aside == ()


@pytest.mark.parametrize("which", ["tiny", "minilm"])
def test_names_shapes_and_order_are_transformers(
    which: str, request: pytest.FixtureRequest
) -> None:
    bert: Bert = request.getfixturevalue(which)
    sizes = {name: bert.settings[name] for name in BERT_BASE}
    census = count_parameters(bert.checkpoint)
    ours = {parameter.name: parameter.shape for parameter in census.parameters}
    theirs = from_library(**sizes, num_attention_heads=bert.settings["num_attention_heads"])
    assert list(ours.items()) == list(theirs.items())
    flat = sum(np.prod(shape) for shape in theirs.values() if len(shape) == 2)
    assert (census.total, census.two_dimensional) == counts_by_formula(sizes)
    assert (census.total, census.two_dimensional) == (
        sum(np.prod(shape) for shape in theirs.values()),
        flat,
    )
    assert {p.dtype for p in census.parameters} == {"F32"}


def test_the_two_figures_quoted_for_bert_base() -> None:
    theirs = from_library()
    total = sum(int(np.prod(shape)) for shape in theirs.values())
    flat = sum(int(np.prod(shape)) for shape in theirs.values() if len(shape) == 2)
    assert counts_by_formula(BERT_BASE) == (total, flat) == (109_482_240, 109_360_128)
    without = [shape for name, shape in theirs.items() if not name.startswith("pooler.")]
    assert counts_by_formula(BERT_BASE, pooler=False)[0] == sum(
        int(np.prod(shape)) for shape in without
    )


def test_the_embedded_models_buffer_is_left_aside(minilm: Bert) -> None:
    (left,) = count_parameters(minilm.checkpoint).left_aside
    assert left.stored_as == "embeddings.position_ids"
    assert left.shape == (1, 512)
    assert left.reason.startswith("a buffer")


def test_old_names_prefix_and_heads(tiny_folder: Path, tmp_path: Path, tiny: Bert) -> None:
    tensors = load_file(tiny_folder / "model.safetensors")
    old = {
        "bert."
        + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): array
        for name, array in tensors.items()
    }
    heads = numbered("cls.predictions.bias", "cls.seq_relationship.weight")
    census = saved(tmp_path, old | heads)
    new = count_parameters(tiny.checkpoint)
    assert census.names == new.names
    assert [p.shape for p in census.parameters] == [p.shape for p in new.parameters]
    norm = next(p for p in census.parameters if p.name == "embeddings.LayerNorm.weight")
    assert norm.stored_as == "bert.embeddings.LayerNorm.gamma"
    assert [left.stored_as for left in census.left_aside] == [
        "cls.predictions.bias",
        "cls.seq_relationship.weight",
    ]
    assert all("task head" in left.reason for left in census.left_aside)


def test_a_tensor_under_two_names_is_counted_once(tmp_path: Path) -> None:
    census = saved(tmp_path, numbered("bert.pooler.dense.bias", "pooler.dense.bias"))
    (counted,) = census.parameters
    assert (counted.stored_as, counted.count) == ("pooler.dense.bias", 2)
    (left,) = census.left_aside
    assert left.stored_as == "bert.pooler.dense.bias"
    assert "twice" in left.reason


def test_whole_numbers_are_no_parameters(tmp_path: Path) -> None:
    census = saved(tmp_path, {"encoder.layer.0.counter": np.zeros(3, np.int64)})
    assert census.parameters == ()
    assert "buffer" in census.left_aside[0].reason


def test_layers_follow_each_other_by_number(tmp_path: Path) -> None:
    census = saved(tmp_path, numbered(*(f"encoder.layer.{n}.output.dense.bias" for n in range(12))))
    assert [p.layer for p in census.parameters] == list(range(12))


def test_no_pooler(tmp_path: Path) -> None:
    census = saved(tmp_path, numbered("embeddings.LayerNorm.weight"))
    assert census.by_group == {"embedding": 1, "encoder layers": 0, "pooler": 0}


def test_a_broken_file(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"not one")
    with pytest.raises(ModelUnavailableError, match=r"model\.safetensors of made cannot be read"):
        count_parameters(Checkpoint("made", tmp_path, "folder"))
