"""The numbers of a checkpoint's file: the arrays of the embedding layer; any tensor described."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids, frozen, read_only
from bertviz_core.checkpoints.checkpoint import Checkpoint, opened_weights
from bertviz_core.checkpoints.parameters import Census
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.result import Readable

LARGEST = 1e6  # a weight of a trained BERT is below 100; sums and squares of these stay finite


@dataclass(frozen=True, eq=False, repr=False)
class EmbeddingTables(Readable):
    """All weights of the embedding layer; float32 and read-only."""

    word_embeddings: Array  # (vocab_size, hidden_size), the token table
    position_embeddings: Array  # (max_position_embeddings, hidden_size)
    token_type_embeddings: Array  # (type_vocab_size, hidden_size), one row a segment
    layer_norm_weight: Array  # (hidden_size,), gamma in old files
    layer_norm_bias: Array  # (hidden_size,), beta
    word_norms: Array  # (vocab_size,), length of each row of `word_embeddings`


def read_tables(
    checkpoint: Checkpoint, settings: Mapping[str, Any], census: Census
) -> EmbeddingTables:
    """Read the embedding layer's arrays, and nothing else; 16-bit floats are widened to float32."""
    hidden = settings["hidden_size"]
    shapes = {
        "word_embeddings.weight": (settings["vocab_size"], hidden),
        "position_embeddings.weight": (settings["max_position_embeddings"], hidden),
        "token_type_embeddings.weight": (settings["type_vocab_size"], hidden),
        "LayerNorm.weight": (hidden,),
        "LayerNorm.bias": (hidden,),
    }
    stored = {parameter.name: parameter for parameter in census.parameters}
    where = f"{checkpoint.weights.name} of {checkpoint.name}"
    arrays = []
    with opened_weights(checkpoint) as file:
        for name, shape in shapes.items():
            held = stored.get(f"embeddings.{name}")
            if held is None or held.shape != shape or held.dtype not in ("F32", "F16"):
                found = f"{held.dtype} {held.shape}" if held else "nothing"
                raise ModelUnavailableError(
                    f"{where} holds {found} as embeddings.{name}; "
                    f"expected F32 or F16 {shape}, by config.json."
                )
            # A copy made by NumPy lies in large memory pages, which makes every search faster, and
            # stays the same whatever becomes of the file.
            values = frozen(file.get_tensor(held.stored_as))
            if not max(-values.min(), values.max()) <= LARGEST:  # nor where it is NaN
                raise ModelUnavailableError(f"{where} holds {held.stored_as}: no trained weights.")
            arrays.append(values)
    squares = np.einsum("ij,ij->i", arrays[0], arrays[0], dtype=np.float64)
    arrays.append(read_only(np.sqrt(squares).astype(np.float32)))
    return EmbeddingTables(*arrays)


def extreme_rows(row_norms: Array, count: int) -> tuple[Ids, Ids]:
    """Numbers of the longest rows from the longest on, and of the shortest; int64 (count,) each."""
    rising = np.argsort(row_norms, kind="stable")
    falling = np.argsort(-row_norms, kind="stable")
    return falling[:count].astype(np.int64), rising[:count].astype(np.int64)


def norms_by_kind(
    norms: Array, kinds: NDArray[np.int8], count: int
) -> dict[str, NDArray[np.float64]]:
    """Lengths of rows kind by kind: median, mean, std and the ends, float64 (count,) each."""
    measures: dict[str, Callable[[NDArray[np.float64]], Any]] = {
        "median": np.median,
        "mean": np.mean,
        "std": np.std,
        "smallest": np.min,
        "largest": np.max,
    }
    of_kinds = [norms[kinds == kind].astype(np.float64) for kind in range(count)]
    return {
        name: np.array([measure(lengths) if lengths.size else np.nan for lengths in of_kinds])
        for name, measure in measures.items()
    }
