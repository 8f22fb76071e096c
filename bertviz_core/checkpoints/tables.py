"""The arrays of BERT's embedding layer, read from a safetensors file."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from bertviz_core.arrays import Array, frozen, read_only
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.checkpoints.settings import shown
from bertviz_core.errors import ModelUnavailableError

LARGEST = 1e6  # a weight of a trained BERT is below 100; sums and squares of these stay finite

_OF_THE_MODEL = re.compile(r"(bert\.)?(embeddings|encoder|pooler)\.")
_LAYER = re.compile(r"(bert\.)?encoder\.layer\.(0|[1-9][0-9]{0,8})\.")


@dataclass(frozen=True, eq=False)
class EmbeddingTables:
    """All weights of the embedding layer; float32 and read-only.

    Attributes:
        word_embeddings: (vocab_size, hidden_size), the token table.
        position_embeddings: (max_position_embeddings, hidden_size).
        token_type_embeddings: (type_vocab_size, hidden_size), one row a segment.
        layer_norm_weight: (hidden_size,), the scale of LayerNorm (called gamma in old files).
        layer_norm_bias: (hidden_size,), the shift of LayerNorm (beta).
        word_norms: (vocab_size,), Euclidean length of each row of `word_embeddings`.
    """

    word_embeddings: Array
    position_embeddings: Array
    token_type_embeddings: Array
    layer_norm_weight: Array
    layer_norm_bias: Array
    word_norms: Array


def read_tables(checkpoint: Checkpoint, settings: Mapping[str, Any]) -> EmbeddingTables:
    """Read the embedding layer's arrays, and nothing else, from a checkpoint's weights.

    Args:
        checkpoint: Where the safetensors file lies. Tensor names in it may carry the prefix
            `bert.`, and LayerNorm's may be called gamma and beta.
        settings: The sizes of `config.json`.

    Returns:
        The tables, as float32 (16-bit floats are widened).

    Raises:
        ModelUnavailableError: The file is unreadable, lacks a tensor, or holds one of another
            shape or number type than expected, or numbers that no weight can be.
    """
    hidden = settings["hidden_size"]
    where = f"{checkpoint.weights.name} of {checkpoint.name}"
    try:
        with safe_open(checkpoint.weights, framework="np") as file:
            read = _Reader(where, file)
            words = read((settings["vocab_size"], hidden), "word_embeddings.weight")
            return EmbeddingTables(
                word_embeddings=words,
                position_embeddings=read(
                    (settings["max_position_embeddings"], hidden), "position_embeddings.weight"
                ),
                token_type_embeddings=read(
                    (settings["type_vocab_size"], hidden), "token_type_embeddings.weight"
                ),
                layer_norm_weight=read((hidden,), "LayerNorm.weight", "LayerNorm.gamma"),
                layer_norm_bias=read((hidden,), "LayerNorm.bias", "LayerNorm.beta"),
                word_norms=_row_norms(words),
            )
    except (SafetensorError, OSError) as error:
        raise _unreadable(checkpoint) from error


def tensor_names(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Read the names of all tensors of a checkpoint from the header of its file.

    Raises:
        ModelUnavailableError: The file is unreadable.
    """
    try:
        with safe_open(checkpoint.weights, framework="np") as file:
            return tuple(sorted(file.keys()))
    except (SafetensorError, OSError) as error:
        raise _unreadable(checkpoint) from error


def check_layers(checkpoint: Checkpoint, settings: Mapping[str, Any], names: Iterable[str]) -> None:
    """Make sure that a file holds as many layers as the settings say; more are left aside.

    Args:
        checkpoint: Where it lies.
        settings: The sizes of `config.json`.
        names: From `tensor_names`.

    Raises:
        ModelUnavailableError: It holds fewer.
    """
    held = len({match[2] for name in names if (match := _LAYER.match(name))})
    wanted = settings["num_hidden_layers"]
    if wanted > held:
        raise ModelUnavailableError(
            f"{checkpoint.settings.name} of {checkpoint.name} gives num_hidden_layers as "
            f"{shown(wanted)}, but {checkpoint.weights.name} holds {held} layers."
        )


def other_tensors(names: Iterable[str]) -> tuple[str, ...]:
    """Leave the tensors that belong to no part of BERT's model, such as `cls.*` heads.

    Args:
        names: From `tensor_names`.

    Returns:
        Names outside `embeddings`, `encoder` and `pooler`, in their order; often none.
    """
    return tuple(name for name in names if not _OF_THE_MODEL.match(name))


class _Reader:
    """Reads tensors of the embedding layer under any of the names files give them."""

    def __init__(self, where: str, file: Any) -> None:
        self.where = where
        self.file = file
        self.names = set(file.keys())

    def __call__(self, shape: tuple[int, ...], *spellings: str) -> Array:
        where = self.where
        candidates = [f"{p}embeddings.{s}" for p in ("", "bert.") for s in spellings]
        name = next((c for c in candidates if c in self.names), None)
        if name is None:
            raise ModelUnavailableError(
                f"{where} has no tensor {candidates[0]}; expected one of shape {shape}."
            )
        part = self.file.get_slice(name)
        stored, dtype = tuple(part.get_shape()), part.get_dtype()
        if stored != shape:
            raise ModelUnavailableError(
                f"{where} holds {name} of shape {stored}; expected {shape} by config.json."
            )
        if dtype not in ("F32", "F16"):
            raise ModelUnavailableError(f"{where} stores {name} as {dtype}; expected F32 or F16.")
        # A copy made by NumPy lies in large memory pages, which makes every search faster, and
        # stays the same whatever becomes of the file.
        values = frozen(self.file.get_tensor(name))
        if reason := out_of_range(float(values.min()), float(values.max())):
            raise ModelUnavailableError(f"{where} holds {name} with {reason}.")
        return values


def out_of_range(low: float, high: float) -> str | None:
    """What is wrong with numbers of which these are the ends; None where they can be weights."""
    if not np.isfinite([low, high]).all():
        return "numbers that are not finite; the file is damaged"
    if max(-low, high) > LARGEST:
        return f"numbers beyond ±{LARGEST:,.0f}; the file is damaged"
    return None


def _unreadable(checkpoint: Checkpoint) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"{checkpoint.weights.name} of {checkpoint.name} cannot be read; "
        "expected a complete safetensors file."
    )


def _row_norms(table: Array) -> Array:
    squares = np.einsum("ij,ij->i", table, table, dtype=np.float64)
    return read_only(np.sqrt(squares).astype(np.float32))
