"""How far a map of vectors can be trusted: whether near points are near vectors."""

from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Array, Ids, cosine_matrix, frozen
from bertviz_core.errors import UserInputError
from bertviz_core.result import Readable
from bertviz_core.senses.groups import FEWEST

NEAREST = 10
_DECIMALS = 6  # of a cosine: vectors that differ only by rounding are equally near


@dataclass(frozen=True, eq=False, repr=False)
class Trust(Readable):
    """How many of the nearest points of a map are nearest in the vectors' own space.

    Attributes:
        nearest: How many nearest ones are looked at, k.
        kept: float32 (n,), read-only, in [0, 1]: of each point's k nearest on the map the share
            whose cosine is among its k highest. Without ties this is also the share of its k
            nearest by cosine that the map keeps.
        by_chance: What `kept` would be on average if points lay anywhere: k / (n - 1), more where
            several are as near as the k-th.
        trustworthiness: In [0, 1]: 1 where all near points are near vectors; those that are not
            count by how far they are down the ranks. About 0.5 by chance.
    """

    nearest: int
    kept: Array
    by_chance: float
    trustworthiness: float


def trust(vectors: Array, points: Array) -> Trust:
    """Compare a map's nearest points with the nearest vectors by cosine.

    The cosine is the measure by which the page lists nearest occurrences. PCA and t-SNE are made
    from Euclidean distances, so that part of what is lost may be the measure's and not the map's.

    Args:
        vectors: float32 (n, hidden_size), n at least 3.
        points: float32 (n, 2), finite: their map.

    Returns:
        The comparison for k = 10, or (n - 1) // 2 where that is less: trustworthiness is defined
        for less than half of the points.

    References:
        Venna and Kaski (2001), "Neighborhood preservation in nonlinear projection methods: An
        experimental study"; `trustworthiness(..., metric="cosine")` of scikit-learn, which is
        equal where no two cosines are.
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
    """Rank all points of a map, float32 (n, 2), by their distance from one of them.

    Returns:
        int64 (n,), read-only: 1 for the nearest other one, 0 for itself. Points that are equally
        far share the best rank.
    """
    from scipy.stats import rankdata

    distances = np.linalg.norm(points - points[row], axis=1).astype(np.float64)
    scale = distances.max() or 1.0
    others = np.delete((distances / scale).round(_DECIMALS), row)
    return frozen(np.insert(rankdata(others, method="min"), row, 0), np.int64)
