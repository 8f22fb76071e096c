"""Every parameter of a checkpoint, counted from the header of its file: no weight is read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, NamedTuple

from bertviz_core.checkpoints.checkpoint import Checkpoint, opened_weights
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.result import Result

Group = Literal["embedding", "encoder layers", "pooler"]
_GROUPS: Mapping[str, Group] = {
    "embeddings": "embedding",
    "encoder": "encoder layers",
    "pooler": "pooler",
}
GROUPS = tuple(_GROUPS.values())

# The sizes of bert-base-uncased, whose two figures are quoted most.
BERT_BASE: Mapping[str, int] = {
    "vocab_size": 30522,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "intermediate_size": 3072,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
}

TASK_HEAD = "part of a task head, not of BERT"
_OLD_NAMES = {"gamma": "weight", "beta": "bias"}
_LAYER = re.compile(r"encoder\.layer\.(\d+)\.")
_BUFFERS = ("embeddings.position_ids", "embeddings.token_type_ids")
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
_ORDER = (*_TABLES, "embeddings.LayerNorm", *_OF_LAYER, "pooler.dense")


@dataclass(frozen=True)
class Parameter:
    """One tensor of the model."""

    name: str  # as transformers calls it, without `bert.`, gamma and beta
    stored_as: str  # its name in the file
    shape: tuple[int, ...]
    dtype: str  # the number type in the file, as safetensors writes it: "F32"
    group: Group  # "embedding", "encoder layers" or "pooler"
    layer: int | None  # 0 to num_hidden_layers - 1 for a tensor of the encoder

    @property
    def count(self) -> int:
        return prod(self.shape)


class IgnoredTensor(NamedTuple):
    """A tensor of the file that is not a parameter of the model, and why it is not counted."""

    stored_as: str
    shape: tuple[int, ...]
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Census(Result):
    """All parameters of a checkpoint, and what else its file holds."""

    parameters: tuple[Parameter, ...]  # in transformers' order: embedding, layers, pooler
    ignored: tuple[IgnoredTensor, ...]  # task heads, buffers and repetitions, by name

    @property
    def total(self) -> int:
        """Number of all parameters."""
        return sum(parameter.count for parameter in self.parameters)

    @property
    def two_dimensional(self) -> int:
        """Number of parameters in matrices; biases and LayerNorm, which are vectors, left out."""
        return sum(p.count for p in self.parameters if len(p.shape) == 2)

    @property
    def by_group(self) -> dict[Group, int]:
        """Number of parameters of each group; 0 for a pooler the file lacks."""
        return {g: sum(p.count for p in self.parameters if p.group == g) for g in GROUPS}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    def columns(self) -> dict[str, Any]:
        """One row a parameter."""
        every, total = self.parameters, self.total
        return {
            "name": self.names,
            "part": [p.group if p.layer is None else f"layer {p.layer + 1}" for p in every],
            "shape": [" × ".join(f"{size:,}" for size in p.shape) for p in every],
            "parameters": [p.count for p in every],
            "share in %": [100 * p.count / total for p in every],
            "stored as": [p.dtype for p in every],
        }

    def _summary(self) -> str:
        groups = ", ".join(f"{group} {count:,}" for group, count in self.by_group.items())
        return f"{self.total:,} numbers in {len(self.parameters):,} parameters: {groups}"


def count_parameters(checkpoint: Checkpoint, layers: int | None = None) -> Census:
    """Read names and shapes of all tensors from the header of a checkpoint's file.

    Args:
        checkpoint: Where the safetensors file lies. Tensor names in it may carry the prefix
            `bert.`, and LayerNorm's may be called gamma and beta.
        layers: `num_hidden_layers`: further layers of the file are no part of the model. None for
            all that the file holds.

    Returns:
        The parameters of embedding, encoder and pooler. Heads such as `cls.*` and buffers such as
        `embeddings.position_ids` are listed apart.

    Raises:
        ModelUnavailableError: The file cannot be read.

    References:
        `BertModel.named_parameters()` in transformers gives the same names, shapes and order.

    Example:
        >>> count_parameters(bert.checkpoint).total
        22713216
    """
    with opened_weights(checkpoint) as file:
        headers = {name: file.get_slice(name) for name in sorted(file.keys())}
        stored = {n: (tuple(h.get_shape()), h.get_dtype()) for n, h in headers.items()}
    parameters: dict[str, Parameter] = {}
    ignored: list[IgnoredTensor] = []
    # Names without a prefix first: where a file holds a tensor twice, that one is read.
    for stored_as in sorted(stored, key=lambda name: (name.startswith("bert."), name)):
        shape, dtype = stored[stored_as]
        name = model_name(stored_as)
        group = _group(name)
        layer = _LAYER.match(name)
        if group is None:
            reason = TASK_HEAD
        elif name in _BUFFERS or not dtype.startswith(("F", "BF")):
            reason = "a buffer: fixed numbers, not trained"
        elif layer is not None and layers is not None and int(layer[1]) >= layers:
            reason = f"config.json gives the model {layers} layers"
        elif name in parameters:
            reason = f"the file holds it twice; {parameters[name].stored_as} is counted"
        else:
            number = int(layer[1]) if layer else None
            parameters[name] = Parameter(name, stored_as, shape, dtype, group, number)
            continue
        ignored.append(IgnoredTensor(stored_as, shape, reason))
    return Census(
        tuple(sorted(parameters.values(), key=_order)),
        tuple(sorted(ignored, key=lambda tensor: tensor.stored_as)),
    )


def counts_by_formula(sizes: Mapping[str, Any], *, pooler: bool = True) -> tuple[int, int]:
    """How many parameters a BERT of given sizes has: all, and those in matrices; needs no file."""
    shapes = [
        shape for name, shape in parameter_shapes(sizes).items() if pooler or "pooler" not in name
    ]
    return sum(map(prod, shapes)), sum(prod(shape) for shape in shapes if len(shape) == 2)


def parameter_shapes(sizes: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of each parameter of a BERT, by name and in transformers' order."""
    hidden = int(sizes["hidden_size"])
    size_of = {"H": hidden, "I": int(sizes["intermediate_size"])}
    weights: dict[str, tuple[int, ...]] = {"embeddings.LayerNorm": (hidden,)}
    for layer in range(int(sizes["num_hidden_layers"])):
        for name, shape in _OF_LAYER.items():
            weights[f"encoder.layer.{layer}.{name}"] = tuple(size_of[size] for size in shape)
    weights["pooler.dense"] = (hidden, hidden)
    shapes: dict[str, tuple[int, ...]] = {
        f"embeddings.{name}.weight": (int(sizes[rows]), hidden) for name, rows in _TABLES.items()
    }
    for name, sized in weights.items():
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = sized, sized[:1]
    return shapes


def check_shapes(
    checkpoint: Checkpoint,
    found: Mapping[str, tuple[int, ...]],
    expected: Mapping[str, tuple[int, ...]],
) -> None:
    """Refuse a file that lacks a tensor, or holds one of another shape than config.json says."""
    for name, shape in expected.items():
        if found.get(name) != shape:
            held = f"{name} of shape {found[name]}" if name in found else f"no {name}"
            raise ModelUnavailableError(
                f"{checkpoint.weights.name} of {checkpoint.name} holds {held}; expected {shape} by "
                "config.json."
            )


def model_name(stored_as: str) -> str:
    """What transformers calls a tensor: without the prefix `bert.`, and without gamma and beta."""
    name = stored_as.removeprefix("bert.")
    start, _, end = name.rpartition(".")
    return f"{start}.{_OLD_NAMES[end]}" if end in _OLD_NAMES else name


def _group(name: str) -> Group | None:
    return _GROUPS.get(name.partition(".")[0])


def _order(parameter: Parameter) -> tuple[int, int, int, str]:
    """Sort key for transformers' order of tensors; weight before bias."""
    stem, _, end = parameter.name.rpartition(".")
    known = [number for number, part in enumerate(_ORDER) if stem.endswith(part)]
    return (
        GROUPS.index(parameter.group),
        -1 if parameter.layer is None else parameter.layer,
        # "attention.output.dense" also ends in "output.dense": the earlier entry is meant.
        min(known, default=len(_ORDER)),
        f"{stem}.{'~' if end == 'bias' else end}",
    )
