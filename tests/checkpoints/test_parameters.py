"""The count of parameters from a file's header, against transformers and by hand."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import locate
from bertviz_core.checkpoints.parameters import (
    BERT_BASE,
    Census,
    count_parameters,
    counts_by_formula,
    parameter_shapes,
)
from tests.data.damage import Tensors, change_weights, gamma_beta, remove_tensors


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


def changed(folder: Path, change: Callable[[Tensors], Tensors]) -> Census:
    change_weights(folder, change)
    return count_parameters(locate(folder))


def test_bert_base() -> None:
    theirs = from_library()
    assert list(parameter_shapes(BERT_BASE).items()) == list(theirs.items())
    assert counts_by_formula(BERT_BASE) == counted(theirs) == (109_482_240, 109_360_128)
    without = {name: shape for name, shape in theirs.items() if not name.startswith("pooler.")}
    assert parameter_shapes(BERT_BASE, pooler=False) == without


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


@pytest.mark.parametrize("prefix", ["", "base_model.model.bert."])
def test_old_names_prefixes_heads_and_buffers(
    prefix: str, minilm: Bert, folder: Path, tiny: Bert
) -> None:
    """Of tensors; that such a file opens is in test_odd.py."""
    new = count_parameters(tiny.checkpoint)
    others = {
        "cls.predictions.bias": np.zeros(40, np.float32),
        f"{prefix}encoder.layer.0.counter": np.zeros(3, np.int64),
        f"{prefix}encoder.layer.2.output.dense.bias": np.zeros(8, np.float32),
    }
    named = lambda tensors: {f"{prefix}{name}": t for name, t in gamma_beta(tensors).items()}  # noqa: E731
    census = changed(folder, lambda tensors: named(tensors) | others)
    assert [(p.name, p.shape) for p in census.parameters] == [
        (p.name, p.shape) for p in new.parameters
    ]
    norm = next(p for p in census.parameters if p.name == "embeddings.LayerNorm.weight")
    assert norm.stored_as == f"{prefix}embeddings.LayerNorm.gamma"
    assert {left.stored_as for left in census.ignored} == set(others)
    (left,) = count_parameters(minilm.checkpoint).ignored
    assert (left.stored_as, left.shape) == ("embeddings.position_ids", (1, 512))


def test_a_tensor_under_two_names_is_counted_once(folder: Path) -> None:
    name = "pooler.dense.bias"
    census = changed(folder, lambda tensors: tensors | {f"bert.{name}": tensors[name] + 1})
    assert [p.stored_as for p in census.parameters if p.name == name] == [name]
    assert [left.stored_as for left in census.ignored] == [f"bert.{name}"]


def test_a_pooler_may_be_missing_and_nothing_else(folder: Path) -> None:
    remove_tensors(folder, "pooler.dense.bias")
    census = count_parameters(locate(folder))
    assert census.by_group["pooler"] == 0
    assert [left.name for left in census.ignored] == ["pooler.dense.weight"]
