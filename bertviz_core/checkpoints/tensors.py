"""The numbers of a checkpoint's file: the arrays of the embedding layer; any tensor described."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids, frozen, read_only
from bertviz_core.checkpoints.checkpoint import Checkpoint, opened_weights
from bertviz_core.checkpoints.parameters import Census, Parameter, count_parameters
from bertviz_core.errors import ModelUnavailableError, UserInputError
from bertviz_core.result import Readable, Result

BINS = 100
SLICE = 1_000_000  # numbers read at a time: 8 MB as float64
LARGEST = 1e6  # a weight of a trained BERT is below 100; sums and squares of these stay finite
_READABLE = ("F16", "F32", "F64")


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


@dataclass(frozen=True, eq=False, repr=False)
class TensorStatistics(Result):
    """What the numbers of one tensor are like; arrays are read-only."""

    parameter: Parameter
    mean: float
    std: float  # around `mean`
    smallest: float
    largest: float
    norm: float  # Euclidean (Frobenius) length of the whole tensor
    zeros: int  # how many numbers are exactly 0
    counts: Ids  # int64 (bins,), how many numbers fall into each bin
    edges: NDArray[np.float64]  # float64 (bins + 1,), from `smallest` to `largest`
    row_norms: Array  # float32 (rows,), length of each row; of a vector each absolute value

    def columns(self) -> dict[str, Any]:
        """One row a bin of the histogram."""
        return {"from": self.edges[:-1], "to": self.edges[1:], "numbers": self.counts}

    def _summary(self) -> str:
        return (
            f"{self.parameter.name} {self.parameter.shape}, {self.smallest:.4g} to "
            f"{self.largest:.4g}, mean {self.mean:.4g}, std {self.std:.4g}, {self.zeros:,} zeros"
        )


def tensor_statistics(checkpoint: Checkpoint, name: str, bins: int = BINS) -> TensorStatistics:
    """Read one tensor from a checkpoint's file, slice by slice, and describe its numbers.

    Args:
        checkpoint: Where the safetensors file lies.
        name: A name of `parameters.count_parameters`, such as "embeddings.word_embeddings.weight".
        bins: Of the histogram, at least 1.

    Returns:
        Sums are kept in float64. At most one slice of 1,000,000 numbers (or one row, if longer)
        is in memory at a time; the file is read twice.

    Raises:
        UserInputError: The checkpoint has no parameter of that name, or `bins` is below 1.
        ModelUnavailableError: The file cannot be read, stores the tensor in a number type other
            than F16, F32 or F64, or holds numbers that are not finite.

    Example:
        >>> round(tensor_statistics(bert.checkpoint, "embeddings.LayerNorm.weight").mean, 2)
        0.62
    """
    if bins < 1:
        raise UserInputError(f"Asked for {bins} bins; choose at least 1.")
    parameters = {p.name: p for p in count_parameters(checkpoint).parameters}
    if name not in parameters:
        raise UserInputError(f"{checkpoint.name} has no parameter “{name}”; choose one of its own.")
    parameter = parameters[name]
    where = f"{checkpoint.weights.name} of {checkpoint.name}"
    if parameter.dtype not in _READABLE:
        raise ModelUnavailableError(
            f"{where} stores {parameter.stored_as} as {parameter.dtype}; "
            f"expected {', '.join(_READABLE)}."
        )
    with opened_weights(checkpoint) as file:
        part = file.get_slice(parameter.stored_as)
        # Twice: first for sums and ends, then for what needs them.
        low, high, total, zeros = np.inf, -np.inf, 0.0, 0
        squares: list[NDArray[np.float64]] = []
        for rows in _slices(part, parameter.shape):
            low, high = min(low, float(rows.min())), max(high, float(rows.max()))
            total += float(rows.sum())
            zeros += int(np.count_nonzero(rows == 0))
            squares.append(np.einsum("ij,ij->i", rows, rows))
        if not np.isfinite([low, high, total]).all():
            raise ModelUnavailableError(
                f"{where} holds numbers that are not finite in {parameter.stored_as}; "
                "the file is damaged."
            )
        mean = total / parameter.count
        edges = np.histogram_bin_edges(np.array([low, high]), bins)
        counts = np.zeros(bins, dtype=np.int64)
        spread = 0.0
        for rows in _slices(part, parameter.shape):
            counts += np.histogram(rows, edges)[0]
            spread += float(np.square(rows - mean).sum())
    all_squares = np.concatenate(squares)
    return TensorStatistics(
        parameter=parameter,
        mean=mean,
        std=float(np.sqrt(spread / parameter.count)),
        smallest=low,
        largest=high,
        norm=float(np.sqrt(all_squares.sum())),
        zeros=zeros,
        counts=read_only(counts),
        edges=read_only(edges),
        row_norms=read_only(np.sqrt(all_squares).astype(np.float32)),
    )


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


def _slices(part: Any, shape: tuple[int, ...]) -> Iterator[NDArray[np.float64]]:
    """Yield some rows at a time, (rows, numbers a row); a vector has rows of one number."""
    width = int(np.prod(shape[1:], dtype=np.int64))
    step = max(SLICE // width, 1)
    for start in range(0, shape[0], step):
        rows: NDArray[np.float64] = part[start : min(start + step, shape[0])].astype(np.float64)
        yield rows.reshape(len(rows), -1)
