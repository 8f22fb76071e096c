"""How far the occurrences of a word in two groups are apart, and the sentences to read."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, Exact, Ids, frozen, read_only, unit_rows
from bertviz_core.corpus.shift.resamples import DECIMALS, Measure, Resamples, measured, sums_of
from bertviz_core.result import Result

# Said wherever p is.
LOW_P = (
    "A low p says that the sentences of the two groups differ: in topic, kind of text, length or "
    "the place of the word, perhaps in meaning. It does not say that the meaning changed: read the "
    "sentences."
)


@dataclass(frozen=True, eq=False, repr=False)
class Shift(Result):
    """How far two groups of vectors are apart, over the layers."""

    # float64 (layers,), read-only, the average distance over that within the
    # groups: the number to compare between words
    relative: Exact
    average: Measure  # the average cosine distance of all pairs of an occurrence of each group

    def columns(self) -> dict[str, Any]:
        """One row a layer, in the order in which they were measured."""
        average, title = self.average, "average pairwise distance"
        return {
            "between / within": self.relative,
            title: average.values,
            f"{title}, from": average.low,
            f"{title}, to": average.high,
            f"{title}, at random from": average.chance_low,
            f"{title}, at random to": average.chance_high,
            f"{title}, p": average.p,
        }


@dataclass(frozen=True, eq=False)
class Changed:
    """Which occurrences are like their own group and unlike the other; the first comes first."""

    own: Exact  # float64 (n,), read-only: mean cosine with other sentences of the own group
    other: Exact  # float64 (n,), read-only: mean cosine with the occurrences of the other group
    # int64, read-only: rows of the first group, one a sentence, the largest `own - other` first
    first: Ids
    second: Ids  # the same of the second group; its rows are counted on from the first group's


def shift(layers: Iterable[tuple[Array, Array]], resamples: Resamples) -> Shift:
    """Measure how far two groups are apart at some layers.

    Args:
        layers: At each layer the vectors of the first and of the second group; one layer is held
            at a time.
        resamples: Of the same occurrences.

    Raises:
        UserInputError: There is not one vector an occurrence, or one is not finite.

    Example:
        >>> from bertviz_core.corpus.shift.resamples import resample
        >>> from bertviz_core.corpus.shift.two_groups import sentences_of, two_groups, vectors_of
        >>> groups = two_groups(occurrences, "mouse", ["year<1950"])
        >>> resamples = resample(*sentences_of(occurrences, groups))
        >>> shift([vectors_of(occurrences, groups, layer=6)], resamples).relative.round(2)
        array([1.58])
    """
    relative, averages = [], []
    for first, second in layers:
        units = unit_rows(resamples.together(first, second).astype(np.float64))
        averages.append(resamples.compare(units, _average))
        relative.append(_relative(units, resamples, averages[-1].permuted[0]))
    return Shift(frozen(relative, np.float64), measured(averages))


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


def _average(first: Exact, second: Exact) -> Exact:
    """Average the cosine distance over all pairs of an occurrence of each group, in [0, 2].

    The mean of all cosines is the product of the mean unit rows. "APD": Giulianelli et al. (2020).
    """
    return np.clip(1 - (first * second).sum(axis=-1), 0, 2)


def _relative(units: Exact, resamples: Resamples, between: float) -> float:
    """Divide the average distance between two groups by that within them, over other sentences."""
    parts = slice(None, resamples.first), slice(resamples.first, None)
    own = [_within(units[part], resamples.sentences[part]) for part in parts]
    if within := round(sum(own) / len(own), DECIMALS):
        return between / within
    return float("inf") if between else 1.0


def _within(units: Exact, sentences: Ids) -> float:
    """The mean cosine distance of two rows of length 1 that are of different sentences."""
    pairs = len(units) ** 2 - (np.bincount(sentences) ** 2).sum()
    cosines = (units.sum(axis=0) ** 2).sum() - (sums_of(sentences, units) ** 2).sum()
    return float(1 - cosines / pairs)
