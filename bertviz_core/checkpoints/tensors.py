"""One tensor of a checkpoint in numbers, read from its file in slices of bounded size."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids, read_only
from bertviz_core.checkpoints.checkpoint import Checkpoint, opened_weights
from bertviz_core.checkpoints.parameters import Parameter, count_parameters
from bertviz_core.errors import ModelUnavailableError, UserInputError
from bertviz_core.result import Result

BINS = 100
SLICE = 1_000_000  # numbers read at a time: 8 MB as float64
_READABLE = ("F16", "F32", "F64")


@dataclass(frozen=True, eq=False, repr=False)
class TensorStatistics(Result):
    """What the numbers of one tensor are like; arrays are read-only.

    Attributes:
        parameter: Name, shape and group.
        mean: Mean of all numbers.
        std: Their standard deviation, around `mean`.
        smallest: The lowest number.
        largest: The highest number.
        norm: Euclidean (Frobenius) length of the whole tensor.
        zeros: How many numbers are exactly 0.
        counts: int64 (bins,), how many numbers fall into each bin; adds up to the tensor's count.
        edges: float64 (bins + 1,), ends of the bins, from `smallest` to `largest`.
        row_norms: float32 (rows,), Euclidean length of each row; for a vector, the absolute value
            of each number.
    """

    parameter: Parameter
    mean: float
    std: float
    smallest: float
    largest: float
    norm: float
    zeros: int
    counts: Ids
    edges: NDArray[np.float64]
    row_norms: Array

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
        return _described(parameter, lambda: _slices(part, parameter.shape), bins, where)


def extreme_rows(row_norms: Array, count: int) -> tuple[Ids, Ids]:
    """Find the longest and the shortest rows.

    Args:
        row_norms: (rows,), from `tensor_statistics` or `bert.tables.word_norms`.
        count: How many of each, at most rows.

    Returns:
        int64 (count,) each: the longest from the longest on, the shortest from the shortest on;
        equal ones in order of their number.
    """
    rising = np.argsort(row_norms, kind="stable")
    falling = np.argsort(-row_norms, kind="stable")
    return falling[:count].astype(np.int64), rising[:count].astype(np.int64)


def norms_by_kind(
    norms: Array, kinds: NDArray[np.int8], count: int
) -> dict[str, NDArray[np.float64]]:
    """Describe the lengths of rows kind by kind.

    Args:
        norms: (rows,), such as `bert.tables.word_norms`.
        kinds: (rows,), the kind of each row, 0 to `count` - 1, such as `vocabulary.kinds`.
        count: Number of kinds.

    Returns:
        "median", "mean", "std" (standard deviation), "smallest" and "largest", each float64
        (count,); nan for a kind without rows.

    Raises:
        ValueError: There is not one kind a row.
    """
    if norms.shape != kinds.shape:
        raise ValueError(f"norms have shape {norms.shape}, kinds {kinds.shape}")
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


def _described(
    parameter: Parameter,
    slices: Callable[[], Iterator[NDArray[np.float64]]],
    bins: int,
    where: str,
) -> TensorStatistics:
    """Read the tensor twice: first for sums and ends, then for what needs them."""
    low, high, total, zeros = np.inf, -np.inf, 0.0, 0
    squares: list[NDArray[np.float64]] = []
    for rows in slices():
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
    for rows in slices():
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


def _slices(part: Any, shape: tuple[int, ...]) -> Iterator[NDArray[np.float64]]:
    """Yield some rows at a time, (rows, numbers a row); a vector has rows of one number."""
    width = int(np.prod(shape[1:], dtype=np.int64))
    step = max(SLICE // width, 1)
    for start in range(0, shape[0], step):
        rows: NDArray[np.float64] = part[start : min(start + step, shape[0])].astype(np.float64)
        yield rows.reshape(len(rows), -1)
