"""Many vectors as points on a plane, and the order of these points by distance."""

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertviz_core.arrays import Array, Ids, frozen, principal_directions, ratio
from bertviz_core.errors import UserInputError

MIN_SPREAD, MAX_SPREAD = 1e-3, 1e9  # of numbers whose differences have squares in float32
_DECIMALS = 6  # of a distance: points that differ only by rounding are equally near


def expect_vectors(vectors: ArrayLike, shape: str) -> NDArray[Any]:
    """Vectors as an array, if it has a shape, such as "(n, hidden_size)", and finite numbers."""
    with suppress(TypeError, ValueError):
        array = np.asarray(vectors)
        fits = array.ndim == shape.count(",") + 1 and all(array.shape[1:])
        if fits and (np.abs(array) <= np.finfo(np.float32).max).all():  # NaN is not either
            return array
    given = getattr(vectors, "shape", type(vectors).__name__)
    raise UserInputError(
        f"Expected an array {shape} of finite numbers; got {given}, or numbers that are not finite."
    )


def distinct(vectors: NDArray[Any]) -> NDArray[Any]:
    """Vectors (n, hidden_size), moved and scaled where squares of their differences are lost."""
    spread = np.ptp(vectors.astype(np.float64), axis=0).max()
    if not spread or MIN_SPREAD * max(np.abs(vectors).max(), 1) < spread < MAX_SPREAD:
        return vectors
    exact = vectors - vectors.mean(axis=0, dtype=np.float64)
    return frozen(exact / np.abs(exact).max())


class Plane(NamedTuple):
    """Vectors projected on their two principal directions."""

    points: Array  # float32 (..., 2): the vectors' shape with 2 in place of hidden_size
    explained: Array  # float32 (..., 2): each direction's share of a layer's variance


def shared_frame(vectors: Array) -> Plane:
    """Project (n, layers, hidden_size) by PCA into one plane for all layers."""
    # From layer to layer all vectors of a word move together, which is most of the variance. So
    # each layer's mean is subtracted first.
    hidden_size = vectors.shape[-1]
    means = vectors.mean(axis=0, dtype=np.float64)  # (layers, hidden_size)
    scatter = np.zeros((hidden_size, hidden_size))
    spreads = np.zeros((len(means), 1))  # of each layer, around its own mean
    for layer, mean in enumerate(means):  # one layer in float64 at a time
        centred = vectors[:, layer] - mean
        scatter += centred.T @ centred
        spreads[layer] = np.square(centred).sum()
    directions, _ = principal_directions(scatter, 2)
    points = np.stack(
        [(vectors[:, layer] - mean) @ directions.T for layer, mean in enumerate(means)], axis=1
    )
    on_plane = np.square(points - points.mean(axis=0)).sum(axis=0)  # (layers, 2)
    return Plane(frozen(points), frozen(ratio(on_plane, spreads)))


def map_ranks(points: Array, row: int) -> Ids:
    """Rank all points of a map by their distance from one of them: int64 (n,), 0 for itself."""
    from scipy.stats import rankdata

    distances = np.linalg.norm(points.astype(np.float64) - points[row], axis=1)
    scale = distances.max() or 1.0
    others = np.delete((distances / scale).round(_DECIMALS), row)
    return frozen(np.insert(rankdata(others, method="min"), row, 0), np.int64)
