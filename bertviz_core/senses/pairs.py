"""Pairs of occurrences, and how well their cosines separate pairs of one label from others."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Exact, Ids, cosine_matrix

MAX_SCORED = 200  # occurrences: 19,900 pairs for each layer and resample
RESAMPLES = 300
_DECIMALS = 6  # of a cosine: beyond, equal vectors differ by rounding
_SEED = 0
_AT_ONCE = 100  # resamples in memory
Kinds = NDArray[np.bool_]


def sampled(rows: Sequence[int]) -> Ids:
    """At most 200 of some rows, int64, rising: of more, a sample that is always the same."""
    numbers = np.array(rows, dtype=np.int64)
    if len(rows) <= MAX_SCORED:
        return numbers
    sample = np.random.default_rng(_SEED).choice(len(rows), MAX_SCORED, replace=False)
    return np.sort(numbers[sample])


def pair_cosines(vectors: NDArray[np.float32]) -> Exact:
    """Cosines of all pairs, in the order of `np.triu_indices(n, 1)`: float64 (pairs, layers)."""
    first, second = np.triu_indices(len(vectors), 1)
    layers = range(vectors.shape[1])
    by_layer = [cosine_matrix(vectors[:, i], vectors[:, i])[first, second] for i in layers]
    return np.stack(by_layer, axis=1).round(_DECIMALS)


def same_label(labels: NDArray[np.generic]) -> Kinds:
    """Whether the two of a pair have the same label: bool (..., pairs) for labels (..., n)."""
    first, second = np.triu_indices(labels.shape[-1], 1)
    kinds: Kinds = labels[..., first] == labels[..., second]
    return kinds


def pair_auc(cosines: Exact, kinds: Kinds) -> Exact:
    """The AUC of cosines for the pairs in `kinds`, (..., pairs): (..., layers).

    It is NaN where all pairs are of one kind.
    """
    from scipy.stats import rankdata

    if not len(cosines):
        return np.full((*kinds.shape[:-1], cosines.shape[1]), np.nan)
    ranks = rankdata(cosines, axis=0)
    of_kind = kinds.sum(axis=-1, keepdims=True).astype(np.float64)
    above = kinds @ ranks - of_kind * (of_kind + 1) / 2
    couples = of_kind * (kinds.shape[-1] - of_kind)
    return np.divide(above, couples, out=np.full(above.shape, np.nan), where=couples > 0)


def shuffled(labels: Ids) -> Ids:
    """The labels in random order: int64 (300, n), always the same."""
    return np.random.default_rng(_SEED).permuted(np.tile(labels, (RESAMPLES, 1)), axis=1)


def resampled_auc(cosines: Exact, kinds: Kinds, count: int) -> Exact:
    """`pair_auc` of the pairs in resamples of the occurrences: float64 (300, layers)."""
    # Not in resamples of the pairs: these share occurrences, so the interval would be too narrow.
    first, second = np.triu_indices(count, 1)
    times = resample_counts(count).astype(np.float32)  # holds sums of pairs exactly
    parts = (times[:, start : start + _AT_ONCE] for start in range(0, RESAMPLES, _AT_ONCE))
    return np.concatenate(
        [weighted_auc(cosines, kinds, part[first] * part[second]) for part in parts]
    )


def resample_counts(count: int) -> Ids:
    """How often each of `count` comes in 300 resamples of as many: int64 (count, 300)."""
    draws = np.random.default_rng(_SEED).integers(count, size=(RESAMPLES, count))
    return np.stack([np.bincount(draw, minlength=count) for draw in draws], axis=1)


def weighted_auc(cosines: Exact, kinds: Kinds, weights: NDArray[np.float32]) -> Exact:
    """`pair_auc` where each pair counts as often as its weights say, (pairs, resamples)."""
    own, others = weights[kinds], weights[~kinds]
    lower = np.zeros((len(others) + 1, weights.shape[1]), np.float32)
    areas = np.empty((weights.shape[1], cosines.shape[1]))
    for layer, values in enumerate(cosines.T):
        order = np.argsort(values[~kinds], kind="stable")
        ends = values[~kinds][order]
        np.cumsum(others[order], axis=0, out=lower[1:])
        # An equal cosine counts half.
        above = sum(
            np.einsum("pr,pr->r", own, lower[np.searchsorted(ends, values[kinds], side)])
            for side in ("left", "right")
        )
        couples = own.sum(axis=0) * lower[-1]
        areas[:, layer] = np.divide(
            above / 2, couples, out=np.full(couples.shape, np.nan), where=couples > 0
        )
    return areas
