"""Arithmetic that several rooms need, written once: cosines, LayerNorm, principal directions."""

from typing import Any, NamedTuple, TypeVar, overload

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
    """Copy values into a read-only, contiguous array of one number type; viewers share results."""
    return read_only(np.array(values, dtype=dtype, order="C"))


def read_only(array: NDArray[Number]) -> NDArray[Number]:
    """Set a new array read-only and return it; nothing is copied."""
    array.setflags(write=False)
    return array


def ratio(above: Exact, below: Exact) -> Exact:
    """Divide, with 0 where `below` is 0; the shapes may broadcast."""
    above, below = np.broadcast_arrays(above, below)
    return np.divide(above, below, out=np.zeros(above.shape), where=below > 0)


def unit_rows(rows: NDArray[Any], dtype: Any = np.float64) -> NDArray[Any]:
    """Scale each row of (..., hidden_size) to length 1; a row of zeros stays zero."""
    rows = rows.astype(dtype, copy=False)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def standard_ranks(rows: NDArray[Any]) -> Exact:
    """Ranks in each row of (..., n), centred and of length 1, 0 where all are equal.

    Their products are Spearman's correlations.
    """
    from scipy.stats import rankdata

    ranks = rankdata(rows, axis=-1)
    return unit_rows(ranks - ranks.mean(axis=-1, keepdims=True))


def cosine(a: NDArray[Any], b: NDArray[Any]) -> Exact:
    """Compare vectors (..., hidden_size) one by one: float64 (...,), 0 where a vector is zero."""
    # Unlike unit_rows, einsum makes no float64 copy of `a` or `b`.
    dots, squares_a, squares_b = (
        np.einsum("...i,...i->...", left, right, dtype=np.float64)
        for left, right in ((a, b), (a, a), (b, b))
    )
    return np.clip(ratio(dots, np.sqrt(squares_a * squares_b)), -1, 1)


def cosine_matrix(a: NDArray[Any], b: NDArray[Any]) -> Exact:
    """Compare (n, hidden_size) with (m, hidden_size): float64 (n, m), 0 where a row is zero."""
    return np.clip(unit_rows(a) @ unit_rows(b).T, -1, 1)


class LayerNormSteps(NamedTuple):
    """LayerNorm, step by step: float64 (..., hidden_size), of each row `mean` and `deviation`."""

    mean: Exact  # (..., 1)
    deviation: Exact  # (..., 1), the square root of the variance plus eps
    centred: Exact  # the row minus its mean
    divided: Exact  # that divided by the deviation
    scaled: Exact  # that times the learned weight
    output: Exact  # that plus the learned bias


def layer_norm(values: NDArray[Any], weight: Array, bias: Array, eps: float) -> LayerNormSteps:
    """Bring each row to mean 0 and variance 1, then scale and shift (`torch.nn.LayerNorm`)."""
    exact = values.astype(np.float64)
    mean = exact.mean(axis=-1, keepdims=True)
    centred = exact - mean
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
    divided = centred / deviation
    scaled = divided * weight
    return LayerNormSteps(mean, deviation, centred, divided, scaled, scaled + bias)


def principal_directions(scatter: Exact, count: int) -> tuple[Exact, Exact]:
    """The `count` directions (count, m) in which centred rows vary most, and their variances.

    `scatter` is `rows.T @ rows`. Directions beyond m, and their variances, are zero.
    """
    values, vectors = np.linalg.eigh(scatter)
    directions, variances = np.zeros((count, len(scatter))), np.zeros(count)
    found = vectors[:, ::-1][:, :count].T
    # The entry of largest size is positive in each, so that a picture does not turn over.
    largest = np.abs(found).argmax(axis=1)
    directions[: len(found)] = found * np.sign(found[np.arange(len(found)), largest])[:, None]
    variances[: len(found)] = values[::-1][:count].clip(0)
    return directions, variances
