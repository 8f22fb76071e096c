"""The sentences to read: those that changed most, and one for each cluster."""

from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Array, Exact, Ids, frozen, read_only, unit_rows
from bertviz_core.corpus.shift.resamples import Resamples, sums_of
from bertviz_core.result import Readable


@dataclass(frozen=True, eq=False, repr=False)
class Changed(Readable):
    """Which occurrences are like their own group and unlike the other one."""

    # float64 (n,), read-only: mean cosine with the occurrences of the own group that stand in
    # other sentences. The first group comes first.
    own: Exact
    other: Exact  # float64 (n,), read-only: mean cosine with the occurrences of the other group
    # int64, read-only: rows of the first group, one a sentence, those with the largest `own -
    # other` first
    first: Ids
    second: Ids  # the same of the second group; its rows are counted on from the first group's


def changed(first: Array, second: Array, resamples: Resamples) -> Changed:
    """Find the occurrences that are most at home in their own group and least in the other."""
    units = unit_rows(resamples.together(first, second))
    sentences, size = resamples.sentences, resamples.first
    group = (np.arange(len(units)) >= size).astype(int)  # 0 in the first, 1 in the second
    sizes = np.bincount(group)
    sums = np.stack([units[:size].sum(axis=0), units[size:].sum(axis=0)])
    rest = sums[group] - sums_of(sentences, units)[sentences]
    own = np.vecdot(units, rest) / (sizes[group] - np.bincount(sentences)[sentences])
    other = np.vecdot(units, sums[1 - group]) / sizes[1 - group]
    order = np.argsort(other - own, kind="stable")
    _, earliest = np.unique(sentences[order], return_index=True)  # of a sentence only its first
    order = order[np.sort(earliest)]
    return Changed(
        read_only(own),
        read_only(other),
        read_only(order[order < size]),
        read_only(order[order >= size]),
    )


def central(vectors: Array, clusters: Ids) -> Ids:
    """The row of each cluster's member that is nearest to the mean of its vectors."""
    nearest = []
    for cluster in range(int(clusters.max()) + 1):
        rows = np.flatnonzero(clusters == cluster)
        members = vectors[rows].astype(np.float64)
        distances = np.linalg.norm(members - members.mean(axis=0), axis=1)
        nearest.append(rows[distances.argmin()])
    return frozen(nearest, np.int64)
