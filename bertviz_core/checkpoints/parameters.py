"""Every parameter of a checkpoint, counted from the header of its file: no weight is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.checkpoints.settings import read_settings
from bertviz_core.checkpoints.weights import (
    GROUPS,
    StoredTensor,
    by_name,
    check_shapes,
    stored_tensors,
)
from bertviz_core.result import Result

POOLER = ("pooler.dense.weight", "pooler.dense.bias")
# The sizes of bert-base-uncased, whose two figures are quoted most.
BERT_BASE: Mapping[str, int] = {
    "vocab_size": 30522,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "intermediate_size": 3072,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
}

# transformers' own order within the embedding layer and within a layer of the encoder; of the
# latter the shape of each weight, with H dimensions and I inner ones.
_TABLES = {
    "word_embeddings": "vocab_size",
    "position_embeddings": "max_position_embeddings",
    "token_type_embeddings": "type_vocab_size",
}
_OF_LAYER = {
    "attention.self.query": "HH",
    "attention.self.key": "HH",
    "attention.self.value": "HH",
    "attention.output.dense": "HH",
    "attention.output.LayerNorm": "H",
    "intermediate.dense": "IH",
    "output.dense": "HI",
    "output.LayerNorm": "H",
}


@dataclass(frozen=True, eq=False, repr=False)
class Census(Result):
    """All parameters of a checkpoint, and what else its file holds."""

    parameters: tuple[StoredTensor, ...]  # in transformers' order: embedding, layers, pooler
    ignored: tuple[StoredTensor, ...]  # heads, buffers, repetitions and further layers, by name

    @property
    def total(self) -> int:
        return sum(parameter.count for parameter in self.parameters)

    @property
    def two_dimensional(self) -> int:
        """Number of parameters in matrices; biases and LayerNorm, which are vectors, left out."""
        return sum(p.count for p in self.parameters if len(p.shape) == 2)

    @property
    def by_group(self) -> dict[str, int]:
        """Number of parameters of each group; 0 for a pooler the file lacks."""
        return {g: sum(p.count for p in self.parameters if p.group == g) for g in GROUPS.values()}

    def columns(self) -> dict[str, Any]:
        """One row a parameter."""
        parameters = self.parameters
        total = self.total
        return {
            "name": [p.name for p in parameters],
            "part": [p.group if p.layer is None else f"layer {p.layer + 1}" for p in parameters],
            "shape": [" × ".join(f"{size:,}" for size in p.shape) for p in parameters],
            "parameters": [p.count for p in parameters],
            "share in %": [100 * p.count / total for p in parameters],
            "stored as": [p.dtype for p in parameters],
        }

    def _summary(self) -> str:
        groups = ", ".join(f"{group} {count:,}" for group, count in self.by_group.items())
        return f"{self.total:,} numbers in {len(self.parameters):,} parameters: {groups}"


def count_parameters(checkpoint: Checkpoint) -> Census:
    """Read names and shapes of all tensors from the header of a checkpoint's file.

    Args:
        checkpoint: Where the files lie. What stands before the name of the token table, such as
            `bert.`, is the prefix of all names; LayerNorm's may be called gamma and beta.

    Returns:
        The parameters of embedding, encoder and pooler, as many layers as config.json says. Heads
        such as `cls.*` and buffers such as `embeddings.position_ids` are listed apart.

    Raises:
        ModelUnavailableError: A file cannot be read or is not that of a BERT; or a parameter is
            missing, or has another shape than config.json says. A pooler may be missing.

    References:
        `BertModel.named_parameters()` in transformers gives the same names, shapes and order.

    Example:
        >>> count_parameters(bert.checkpoint).total
        22713216
    """
    settings = read_settings(checkpoint)
    in_files = stored_tensors(checkpoint)
    tensors = by_name(in_files)
    pooler = all(name in tensors for name in POOLER)
    shapes = parameter_shapes(settings, pooler=pooler)
    check_shapes(checkpoint, tensors, shapes)
    parameters = {tensors[name].stored_as: tensors[name] for name in shapes}
    ignored = tuple(one for one in in_files if one.stored_as not in parameters)
    return Census(tuple(parameters.values()), ignored)


def counts_by_formula(sizes: Mapping[str, Any]) -> tuple[int, int]:
    """How many parameters a BERT of given sizes has: all, and those in matrices; needs no file."""
    shapes = list(parameter_shapes(sizes).values())
    return sum(map(prod, shapes)), sum(prod(shape) for shape in shapes if len(shape) == 2)


def parameter_shapes(
    sizes: Mapping[str, Any], *, pooler: bool = True
) -> dict[str, tuple[int, ...]]:
    """The shape of each parameter of a BERT, by name and in transformers' order."""
    hidden = int(sizes["hidden_size"])
    size_of = {"H": hidden, "I": int(sizes["intermediate_size"])}
    weights: dict[str, tuple[int, ...]] = {"embeddings.LayerNorm": (hidden,)}
    for layer in range(int(sizes["num_hidden_layers"])):
        for name, shape in _OF_LAYER.items():
            weights[f"encoder.layer.{layer}.{name}"] = tuple(size_of[size] for size in shape)
    if pooler:
        weights["pooler.dense"] = (hidden, hidden)
    shapes: dict[str, tuple[int, ...]] = {
        f"embeddings.{name}.weight": (int(sizes[rows]), hidden) for name, rows in _TABLES.items()
    }
    for name, shape_of_weight in weights.items():
        shapes[f"{name}.weight"] = shape_of_weight
        shapes[f"{name}.bias"] = shape_of_weight[:1]
    return shapes
