"""Groups of occurrences, and the occurrences nearest to one."""

from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from bertviz_core.arrays import Array, Ids, cosine, frozen, on_one_thread
from bertviz_core.errors import UserInputError, expect_count
from bertviz_core.result import Readable
from bertviz_core.senses.occurrences import MAX_OCCURRENCES
from bertviz_core.senses.projection import distinct, expect_vectors

MIN_OCCURRENCES = 3  # of two, every grouping is as good as any other
MAX_GROUPS = 6
MANY = 500  # of more occurrences, k-means ends well from nearly every start
_SEED = 0


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Readable):
    """Occurrences of a word, grouped by k-means."""

    labels: Ids  # int64 (n,), 0 for the largest group, then by size
    silhouette: float  # mean; NaN where there is only one group, of equal vectors

    @property
    def count(self) -> int:
        return int(self.labels.max()) + 1


def group(vectors: Array) -> Groups:
    """Group n > 2 vectors (n, hidden_size) by k-means; the best silhouette says into how many."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score
    from sklearn.metrics.pairwise import euclidean_distances

    vectors = expect_vectors(vectors, "(n, hidden_size)")
    if len(vectors) < MIN_OCCURRENCES:
        raise UserInputError(
            f"There are {len(vectors)} occurrences; at least {MIN_OCCURRENCES} can be grouped."
        )
    vectors = distinct(vectors)
    # A silhouette needs a group of two, k-means as many different vectors as groups.
    most = min(MAX_GROUPS, len(vectors) - 1, len(np.unique(vectors, axis=0)))
    starts = 10 if len(vectors) <= MANY else 3
    groupings: list[tuple[float, Ids]] = []
    with on_one_thread():
        distances = euclidean_distances(vectors)  # (n, n), shared by all numbers of groups
        for count in range(2, most + 1):
            labels = KMeans(count, n_init=starts, random_state=_SEED).fit_predict(vectors)
            silhouette = silhouette_score(distances, labels, metric="precomputed")
            groupings.append((float(silhouette), labels))
    if not groupings:
        return Groups(frozen(np.zeros(len(vectors)), np.int64), float("nan"))
    silhouette, labels = max(groupings, key=itemgetter(0))
    # By size, equal ones by their first member, so that colours do not change.
    _, firsts, numbers, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    ranks = np.argsort(np.lexsort((firsts, -sizes)))
    return Groups(frozen(ranks[numbers], np.int64), silhouette)


def nearest_occurrences(vectors: Array, row: int, k: int = 10) -> tuple[list[int], Array]:
    """The k other rows with the highest cosine to one row, best first, and their cosines."""
    expect_count(k, MAX_OCCURRENCES, "occurrences")
    cosines = cosine(vectors, vectors[row])
    order = np.argsort(-cosines, kind="stable")
    nearest = order[order != row][:k].tolist()
    return nearest, cosines[nearest].astype(np.float32)
