"""Arithmetic that several packages need: cosines, ranks, principal directions."""

from contextlib import AbstractContextManager
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float32]
Exact = NDArray[np.float64]
Ids = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)


@overload
def frozen(values: ArrayLike) -> Array: ...
@overload
def frozen(values: ArrayLike, dtype: type[Number]) -> NDArray[Number]: ...
def frozen(values: ArrayLike, dtype: Any = np.float32) -> NDArray[Any]:
    """A read-only, contiguous copy of values in one number type, since viewers share results."""
    array = np.array(values, dtype=dtype, order="C")
    array.setflags(write=False)
    return array


def read_only(array: NDArray[Number]) -> NDArray[Number]:
    """The same array, set read-only."""
    array.setflags(write=False)
    return array


def ratio(above: Exact, below: Exact) -> Exact:
    """`above / below`, but 0 where `below` is 0; the shapes may broadcast."""
    above, below = np.broadcast_arrays(above, below)
    return np.divide(above, below, out=np.zeros(above.shape), where=below > 0)


def on_one_thread(kind: str | None = None) -> AbstractContextManager[object]:
    """Within it, work takes one thread: of NumPy's products if `kind` is "blas", else of all kinds.

    For short steps: on a busy machine several threads would mostly wait for one another.
    """
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, kind)


def unit_rows(rows: NDArray[Any], dtype: Any = np.float64) -> NDArray[Any]:
    """Each row of (..., hidden_size) scaled to length 1; a row of zeros stays zero."""
    rows = rows.astype(dtype, copy=False)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def standard_ranks(rows: NDArray[Any]) -> Exact:
    """The ranks in each row of (..., n), centred and scaled to length 1; 0 where all are equal.

    Products of two such rows are Spearman's correlations.
    """
    from scipy.stats import rankdata

    ranks = rankdata(rows, axis=-1)
    return unit_rows(ranks - ranks.mean(axis=-1, keepdims=True))


def cosine(a: NDArray[Any], b: NDArray[Any]) -> Exact:
    """The cosines of vectors (..., hidden_size), each pair: float64 (...,), 0 for a zero vector."""
    # Unlike unit_rows, einsum makes no float64 copy of `a` or `b`.
    dots, squares_a, squares_b = (
        np.einsum("...i,...i->...", left, right, dtype=np.float64)
        for left, right in ((a, b), (a, a), (b, b))
    )
    return np.clip(ratio(dots, np.sqrt(squares_a * squares_b)), -1, 1)


def cosine_matrix(a: NDArray[Any], b: NDArray[Any]) -> Exact:
    """The cosines of all rows of a with all rows of b: float64 (n, m), 0 where a row is zero."""
    return np.clip(unit_rows(a) @ unit_rows(b).T, -1, 1)


def principal_directions(scatter: Exact, count: int) -> tuple[Exact, Exact]:
    """The `count` directions (count, m) in which centred rows vary most, and their variances.

    `scatter` is `rows.T @ rows`. Directions beyond m, and their variances, are zero.
    """
    values, vectors = np.linalg.eigh(scatter)
    first = vectors[:, ::-1][:, :count].T
    # The largest entry of each is positive, so that pictures are not mirrored by chance.
    largest = np.abs(first).argmax(axis=1)
    directions = np.zeros((count, len(scatter)))
    directions[: len(first)] = first * np.sign(first[np.arange(len(first)), largest])[:, None]
    variances = np.zeros(count)
    variances[: len(first)] = values[::-1][:count].clip(0)
    return directions, variances
