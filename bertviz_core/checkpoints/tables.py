"""The arrays of BERT's embedding layer, read from a safetensors file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, frozen, read_only
from bertviz_core.checkpoints.checkpoint import Checkpoint, opened_weights
from bertviz_core.checkpoints.parameters import Census, Parameter
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.result import Readable

LARGEST = 1e6  # a weight of a trained BERT is below 100; sums and squares of these stay finite


@dataclass(frozen=True, eq=False, repr=False)
class EmbeddingTables(Readable):
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


def read_tables(
    checkpoint: Checkpoint, settings: Mapping[str, Any], census: Census
) -> EmbeddingTables:
    """Read the embedding layer's arrays, and nothing else, from a checkpoint's weights.

    Args:
        checkpoint: Where the safetensors file lies.
        settings: The sizes of `config.json`.
        census: The names and shapes of its tensors, from `count_parameters`.

    Returns:
        The tables, as float32 (16-bit floats are widened).

    Raises:
        ModelUnavailableError: The file is unreadable, lacks a tensor, or holds one of another
            shape or number type than expected, or numbers that no weight can be.
    """
    hidden = settings["hidden_size"]
    shapes = {
        "word_embeddings.weight": (settings["vocab_size"], hidden),
        "position_embeddings.weight": (settings["max_position_embeddings"], hidden),
        "token_type_embeddings.weight": (settings["type_vocab_size"], hidden),
        "LayerNorm.weight": (hidden,),
        "LayerNorm.bias": (hidden,),
    }
    where = f"{checkpoint.weights.name} of {checkpoint.name}"
    stored = {parameter.name: parameter for parameter in census.parameters}
    with opened_weights(checkpoint) as file:
        words, positions, segments, weight, bias = (
            _read(file, where, f"embeddings.{name}", stored.get(f"embeddings.{name}"), shape)
            for name, shape in shapes.items()
        )
    return EmbeddingTables(words, positions, segments, weight, bias, _row_norms(words))


def _read(
    file: Any, where: str, name: str, parameter: Parameter | None, shape: tuple[int, ...]
) -> Array:
    if parameter is None:
        raise ModelUnavailableError(
            f"{where} has no tensor {name} of shape {shape} and type F32 or F16."
        )
    if parameter.shape != shape:
        raise ModelUnavailableError(
            f"{where} holds {parameter.stored_as} of shape {parameter.shape}; "
            f"expected {shape} by config.json."
        )
    if parameter.dtype not in ("F32", "F16"):
        raise ModelUnavailableError(
            f"{where} stores {parameter.stored_as} as {parameter.dtype}; expected F32 or F16."
        )
    # A copy made by NumPy lies in large memory pages, which makes every search faster, and
    # stays the same whatever becomes of the file.
    values = frozen(file.get_tensor(parameter.stored_as))
    if reason := out_of_range(float(values.min()), float(values.max())):
        raise ModelUnavailableError(f"{where} holds {parameter.stored_as} with {reason}.")
    return values


def out_of_range(low: float, high: float) -> str | None:
    """What is wrong with numbers of which these are the ends; None where they can be weights."""
    if not np.isfinite([low, high]).all():
        return "numbers that are not finite; the file is damaged"
    if max(-low, high) > LARGEST:
        return f"numbers beyond ±{LARGEST:,.0f}; the file is damaged"
    return None


def _row_norms(table: Array) -> Array:
    squares = np.einsum("ij,ij->i", table, table, dtype=np.float64)
    return read_only(np.sqrt(squares).astype(np.float32))
