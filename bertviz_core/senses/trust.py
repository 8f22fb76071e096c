"""How far a map of vectors can be trusted: whether near points are near vectors."""

from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Ids, cosine_matrix, frozen
from bertviz_core.errors import UserInputError
from bertviz_core.senses.groups import FEWEST

NEAREST = 10
_DECIMALS = 6  # of a cosine: vectors that differ only by rounding are equally near


class Trust(NamedTuple):
    """How many of the nearest points of a map are nearest in the vectors' own space."""

    nearest: int  # how many nearest ones are looked at, k
    # float32 (n,): of each point's k nearest on the map the share whose cosine is among its k
    # highest
    kept: Array
    by_chance: float  # the mean of `kept` if points lay anywhere: k / (n - 1), more with ties
    # in [0, 1]: far ones that are near on the map count by their ranks; about 0.5 by chance
    trustworthiness: float


def trust(vectors: Array, points: Array) -> Trust:
    """Compare a map's nearest points, (n, 2), with the nearest of n vectors, at least 3, by cosine.

    k = 10, or (n - 1) // 2 where that is less. Venna and Kaski (2001).
    """
    from sklearn.neighbors import NearestNeighbors

    count = len(vectors)
    if count < FEWEST:
        raise UserInputError(f"A map of {count} points has no nearest ones to compare.")
    k = min(NEAREST, (count - 1) // 2)
    search = NearestNeighbors(n_neighbors=k, algorithm="kd_tree").fit(points)
    on_map = search.kneighbors(return_distance=False)  # (n, k), without the point itself
    distances = (1 - cosine_matrix(vectors, vectors)).round(_DECIMALS)
    np.fill_diagonal(distances, np.inf)
    mapped = np.take_along_axis(distances, on_map, axis=1)
    # One more than those that are nearer, so that equal ones share the best rank.
    ranks = 1 + np.stack([(distances < column[:, None]).sum(axis=1) for column in mapped.T], axis=1)
    kth = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    as_near = (distances <= kth).sum(axis=1)
    worst = count * k * (2 * count - 3 * k - 1) / 2
    return Trust(
        nearest=k,
        kept=frozen((ranks <= k).mean(axis=1)),
        by_chance=float(as_near.mean() / (count - 1)),
        trustworthiness=float(1 - (ranks - k).clip(0).sum() / worst),
    )


def map_ranks(points: Array, row: int) -> Ids:
    """Rank all points of a map by their distance from one of them: int64 (n,), 0 for itself."""
    from scipy.stats import rankdata

    distances = np.linalg.norm(points - points[row], axis=1).astype(np.float64)
    scale = distances.max() or 1.0
    others = np.delete((distances / scale).round(_DECIMALS), row)
    return frozen(np.insert(rankdata(others, method="min"), row, 0), np.int64)
