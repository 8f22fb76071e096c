"""Arithmetic that several rooms need, written once: cosines, LayerNorm, principal directions.

Results that the pages keep are shared by all viewers, so their arrays are read-only.
"""

from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertviz_core.result import Readable

Array = NDArray[np.float32]
Exact = NDArray[np.float64]
Ids = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)


@overload
def frozen(values: ArrayLike) -> Array: ...
@overload
def frozen(values: ArrayLike, dtype: type[Number]) -> NDArray[Number]: ...
def frozen(values: ArrayLike, dtype: Any = np.float32) -> NDArray[Any]:
    """Copy values into a read-only array of one number type.

    The copy is contiguous and keeps no larger array alive.
    """
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
    """Scale each row to length 1.

    Args:
        rows: (..., hidden_size).
        dtype: The number type to compute in.

    Returns:
        The same shape; a row of zeros stays zero.
    """
    rows = rows.astype(dtype, copy=False)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def cosine(a: NDArray[Any], b: NDArray[Any]) -> Exact:
    """Compare vectors one by one.

    Args:
        a: (..., hidden_size).
        b: A shape that broadcasts with it: `cosine(rows, vector)` compares one with many.

    Returns:
        float64 (...,), in [-1, 1]; 0 where a vector is zero. No float64 copy of `a` or `b` is made.
    """
    dots, squares_a, squares_b = (
        np.einsum("...i,...i->...", left, right, dtype=np.float64)
        for left, right in ((a, b), (a, a), (b, b))
    )
    return np.clip(ratio(dots, np.sqrt(squares_a * squares_b)), -1, 1)


def cosine_matrix(a: NDArray[Any], b: NDArray[Any]) -> Exact:
    """Compare every row of `a` with every row of `b`.

    Args:
        a: (n, hidden_size).
        b: (m, hidden_size).

    Returns:
        float64 (n, m), in [-1, 1]; 0 where a row is zero.
    """
    return np.clip(unit_rows(a) @ unit_rows(b).T, -1, 1)


@dataclass(frozen=True, eq=False, repr=False)
class LayerNormSteps(Readable):
    """LayerNorm, step by step; float64.

    Attributes:
        mean: (..., 1), the mean of each row.
        deviation: (..., 1), the square root of its variance plus eps.
        centred: (..., hidden_size), the row minus its mean.
        divided: (..., hidden_size), that divided by the deviation.
        scaled: (..., hidden_size), that times the learned weight.
        output: (..., hidden_size), that plus the learned bias.
    """

    mean: Exact
    deviation: Exact
    centred: Exact
    divided: Exact
    scaled: Exact
    output: Exact


def layer_norm(values: NDArray[Any], weight: Array, bias: Array, eps: float) -> LayerNormSteps:
    """Bring each row to mean 0 and variance 1, then scale and shift every dimension.

    Args:
        values: (..., hidden_size).
        weight: (hidden_size,), the learned scale.
        bias: (hidden_size,), the learned shift.
        eps: Added to the variance, against division by zero.

    References:
        Ba et al. (2016), "Layer Normalization"; `torch.nn.LayerNorm`.
    """
    exact = values.astype(np.float64)
    mean = exact.mean(axis=-1, keepdims=True)
    centred = exact - mean
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
    divided = centred / deviation
    scaled = divided * weight
    return LayerNormSteps(mean, deviation, centred, divided, scaled, scaled + bias)


def principal_directions(scatter: Exact, count: int) -> tuple[Exact, Exact]:
    """Find the directions in which centred rows vary most.

    Args:
        scatter: (m, m), `rows.T @ rows` of rows whose mean is zero.
        count: How many directions, at most m.

    Returns:
        Directions (count, m) of length 1, the strongest first; in each the entry of largest size
        is positive, so that a picture does not turn over. Their variances (count,): the sums of
        squares along them, at least 0; all m together add up to the trace of `scatter`.

    References:
        `sklearn.decomposition.PCA`, which gives the same directions without the fixed sign.
    """
    values, vectors = np.linalg.eigh(scatter)
    directions = vectors[:, ::-1][:, :count].T
    largest = np.abs(directions).argmax(axis=1)
    signs = np.where(directions[np.arange(count), largest] < 0, -1.0, 1.0)
    return directions * signs[:, None], values[::-1][:count].clip(0)
