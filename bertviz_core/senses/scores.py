"""How well the vectors of a layer separate the labelled senses of a word."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, cosine_matrix, frozen, on_one_thread
from bertviz_core.errors import UserInputError, expect_each
from bertviz_core.result import Result
from bertviz_core.senses.vectors import SenseVectors

INTERVAL = (2.5, 97.5)  # percentiles
CHANCE = 95  # percentile
MAX_SCORED = 200  # occurrences: 19,900 pairs for each layer and resample
RESAMPLES = 300
_DECIMALS = 6  # of a cosine: beyond, equal vectors differ by rounding
_SEED = 0
_AT_ONCE = 100  # resamples in memory
Kinds = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class SenseScores(Result):
    """How well cosines separate the senses of a word, at every layer.

    Attributes:
        rows: int64 (n,), read-only: the occurrences that were compared.
        auc: float32 (layers,), the chance that two occurrences of one sense have a higher cosine
            than two of different senses.
        low: float32 (layers,), the lower end of its 95% interval, a bootstrap over occurrences.
        high: float32 (layers,), the upper end.
        chance: float32 (layers,); of 100 shuffles of the labels 95 have a lower `auc` there.
        best_by_chance: The same for each shuffle's best layer: the best of several is shown.
        best: Layers with the highest `auc`.
        rivals: Other layers that the bootstrap cannot separate from the first of `best`.
    """

    rows: Ids
    auc: Array
    low: Array
    high: Array
    chance: Array
    best_by_chance: float
    best: tuple[int, ...]
    rivals: tuple[int, ...]

    def columns(self) -> dict[str, Any]:
        """One row a layer that was scored, from 0."""
        return {
            "layer": np.arange(len(self.auc)),
            "AUC": self.auc,
            "AUC from": self.low,
            "AUC to": self.high,
            "AUC, shuffled": self.chance,
        }

    def _summary(self) -> str:
        best = self.best[0]
        return (
            f"{len(self.rows):,} occurrences; best layer {best}: AUC {self.auc[best]:.3f} "
            f"({self.low[best]:.3f} to {self.high[best]:.3f}; shuffled {self.best_by_chance:.3f})"
        )


def sense_scores(vectors: Array, senses: Sequence[str | None]) -> SenseScores:
    """Score every layer against the labels of senses.

    Args:
        vectors: float32 (n, layers, hidden_size).
        senses: n labels; occurrences without one are left out. Of more than 200, 200 are drawn.

    Returns:
        The scores; the same for the same vectors and labels.

    Raises:
        UserInputError: There are not both pairs of one sense and pairs of different senses.

    References:
        `roc_auc_score` of scikit-learn.

    Example:
        >>> from bertviz_core.senses import prepared_set, sense_vectors
        >>> bank = prepared_set("bank").occurrences
        >>> scores = sense_scores(sense_vectors(encoder, bank).vectors, [one.sense for one in bank])
        >>> scores.best, round(float(scores.auc[4]), 2)
        ((4,), 0.81)
    """
    kinds: Any = (str, Integral, NoneType)
    senses = list(expect_each(senses, kinds, "a list of labels, each a str or None"))
    labelled = [row for row, sense in enumerate(senses) if sense is not None]
    rows = sampled(labelled)
    labels = label_numbers([senses[row] for row in rows])
    one_sense = same_label(labels)
    if one_sense.all() or not one_sense.any():
        raise UserInputError(
            "The labels give no two occurrences of one sense, or none of different senses."
        )
    with on_one_thread():
        cosines = pair_cosines(vectors[rows])
        area = pair_auc(cosines, one_sense)
        draws = resampled_auc(cosines, one_sense, len(rows))
        by_chance = pair_auc(cosines, same_label(shuffled(labels)))
    best = tuple(np.flatnonzero(area == area.max()).tolist())
    ahead = np.nanpercentile(draws[:, best[:1]] - draws, INTERVAL[0], axis=0)
    low, high = np.nanpercentile(draws, INTERVAL, axis=0)
    return SenseScores(
        frozen(rows, np.int64),
        frozen(area),
        frozen(low),
        frozen(high),
        frozen(np.percentile(by_chance, CHANCE, axis=0)),
        float(np.percentile(np.nanmax(by_chance, axis=1), CHANCE)),
        best,
        tuple(layer for layer in np.flatnonzero(ahead <= 0).tolist() if layer not in best),
    )


def label_numbers(labels: Sequence[object]) -> Ids:
    """The number of each label, in the order in which they first come: int64 (n,)."""
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([numbers[label] for label in labels], dtype=np.int64)


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


def auc_by_layer(found: SenseVectors) -> Exact:
    """The AUC of pairs at each layer: (layers,), NaN where all pairs are of one kind."""
    labels = label_numbers([one.sense for one in found.occurrences])
    with on_one_thread():
        return pair_auc(pair_cosines(found.vectors), same_label(labels))
