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
from tests.data.damage import old_names


def from_library(**sizes: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of a BertModel, without memory for them."""
    import torch
    from transformers import BertConfig, BertModel

    with torch.device("meta"):
        model = BertModel(BertConfig(**sizes))
    return {name: tuple(p.shape) for name, p in model.named_parameters()}


def counted(shapes: dict[str, tuple[int, ...]]) -> tuple[int, int]:
    """Of all parameters, and of those in matrices."""
    sizes = [(int(np.prod(shape)), len(shape)) for shape in shapes.values()]
    return sum(size for size, _ in sizes), sum(size for size, axes in sizes if axes == 2)


def saved(folder: Path, tensors: dict[str, np.ndarray]) -> Census:
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return count_parameters(Checkpoint("made", folder, "folder"))


def numbered(*names: str) -> dict[str, np.ndarray]:
    return {name: np.zeros(place + 1, np.float32) for place, name in enumerate(names)}


def test_bert_base() -> None:
    theirs = from_library()
    assert list(parameter_shapes(BERT_BASE).items()) == list(theirs.items())
    assert counts_by_formula(BERT_BASE) == counted(theirs) == (109_482_240, 109_360_128)
    without = {name: shape for name, shape in theirs.items() if not name.startswith("pooler.")}
    assert counts_by_formula(BERT_BASE, pooler=False) == counted(without)


def test_the_tiny_one_by_hand(tiny: Bert) -> None:
    census = count_parameters(tiny.checkpoint)
    # P = 16, T = 2, H = 8, L = 2, I = 16.
    rows = (tiny.vocab_size + 16 + 2) * 8
    layer = 4 * (8 * 8 + 8) + 2 * 8 + (16 * 8 + 16) + (8 * 16 + 8) + 2 * 8
    assert census.by_group == {
        "embedding": rows + 2 * 8,
        "encoder layers": 2 * layer,
        "pooler": 8 * 8 + 8,
    }
    assert census.total == sum(census.by_group.values())
    assert census.two_dimensional == rows + 2 * (4 * 64 + 2 * 128) + 64
    assert census.ignored == ()


@pytest.mark.parametrize("which", ["tiny", "minilm"])
def test_names_shapes_and_order_are_transformers(
    which: str, request: pytest.FixtureRequest
) -> None:
    bert: Bert = request.getfixturevalue(which)
    sizes = {name: bert.settings[name] for name in BERT_BASE}
    census = count_parameters(bert.checkpoint)
    theirs = from_library(**sizes, num_attention_heads=bert.settings["num_attention_heads"])
    ours = [(parameter.name, parameter.shape) for parameter in census.parameters]
    assert ours == list(theirs.items()) == list(parameter_shapes(sizes).items())
    assert (census.total, census.two_dimensional) == counts_by_formula(sizes) == counted(theirs)
    assert {p.dtype for p in census.parameters} == {"F32"}


def test_old_names_prefix_heads_and_buffers(
    minilm: Bert, tiny_folder: Path, tmp_path: Path, tiny: Bert
) -> None:
    tensors = old_names(load_file(tiny_folder / "model.safetensors"))
    heads = numbered("cls.predictions.bias", "cls.seq_relationship.weight")
    census, new = saved(tmp_path, tensors | heads), count_parameters(tiny.checkpoint)
    assert census.names == new.names
    assert [p.shape for p in census.parameters] == [p.shape for p in new.parameters]
    norm = next(p for p in census.parameters if p.name == "embeddings.LayerNorm.weight")
    assert norm.stored_as == "bert.embeddings.LayerNorm.gamma"
    assert [left.stored_as for left in census.ignored] == list(heads)
    assert all("task head" in left.reason for left in census.ignored)
    (left,) = count_parameters(minilm.checkpoint).ignored
    assert (left.stored_as, left.shape) == ("embeddings.position_ids", (1, 512))
    assert left.reason.startswith("a buffer")
    whole_numbers = saved(tmp_path, {"encoder.layer.0.counter": np.zeros(3, np.int64)})
    assert whole_numbers.parameters == ()
    assert "buffer" in whole_numbers.ignored[0].reason


def test_a_tensor_under_two_names_is_counted_once(tmp_path: Path) -> None:
    census = saved(tmp_path, numbered("bert.pooler.dense.bias", "pooler.dense.bias"))
    (parameter,), (left,) = census.parameters, census.ignored
    assert (parameter.stored_as, parameter.count) == ("pooler.dense.bias", 2)
    assert left.stored_as == "bert.pooler.dense.bias"
    assert "twice" in left.reason
