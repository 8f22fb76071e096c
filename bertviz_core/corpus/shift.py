"""How far apart the uses of a word are in two groups, compared with random groups."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, frozen, read_only, unit_rows
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.stratified_sample import drawn_evenly
from bertviz_core.errors import UserInputError
from bertviz_core.result import Readable, Result
from bertviz_core.senses.scores import label_numbers

MIN_SENTENCES = 3  # in a group
RESAMPLES = 999
INTERVAL = (2.5, 97.5)  # percentiles
CHANCE = (5, 95)  # percentiles: above the upper one, p is below 0.05
DECIMALS = 9  # beyond these, equal divisions differ by rounding
# Said wherever p is.
LOW_P = (
    "A low p says that the sentences of the two groups differ: in topic, kind of text, length or "
    "the place of the word, perhaps in meaning. It does not say that the meaning changed: read the "
    "sentences."
)


@dataclass(frozen=True, eq=False, repr=False)
class Resamples(Readable):
    """Which occurrences are in which group, 999 times; the same at all layers."""

    first: int  # how many occurrences the first group has; those of the second follow them
    sentences: Ids  # int64 (n,), read-only, numbers the sentences; occurrences in one stay together
    # bool (1000, n), read-only: whether an occurrence is in the first group, when sentences
    # are given to the groups at random. Row 0 is the real division.
    permuted: NDArray[np.bool_]
    # int64 (1000, n), read-only: how often an occurrence counts, when as many sentences as
    # each group has are drawn from it with replacement. Row 0 is once each.
    drawn: Ids

    @property
    def parts(self) -> tuple[slice, slice]:
        """The rows of each group."""
        return slice(None, self.first), slice(self.first, None)


@dataclass(frozen=True, eq=False, repr=False)
class Shift(Result):
    """How far two groups of vectors are apart; float64 (layers,), read-only, each."""

    # The average distance over that within the groups: the number to compare between words.
    relative: Exact
    average: Exact  # the average cosine distance of all pairs of an occurrence of each group
    low: Exact  # lower end of its 95% interval: it varies so with as many other sentences
    high: Exact  # its upper end
    chance_low: Exact  # 5 of 100 permutations stay below
    chance_high: Exact  # 95 of 100 permutations stay below
    p: Exact  # the share of permutations, the real division among them, at least as high
    # The share of permutations, the real division among them, whose lowest `p` at any layer is as
    # low as that of the real one. For whoever picks the layer with the lowest.
    best_p: float

    def columns(self) -> dict[str, Any]:
        """One row a layer, in the order in which they were measured."""
        title = "average pairwise distance"
        return {
            "between / within": self.relative,
            title: self.average,
            f"{title}, from": self.low,
            f"{title}, to": self.high,
            f"{title}, at random from": self.chance_low,
            f"{title}, at random to": self.chance_high,
            f"{title}, p": self.p,
        }


class Changed(NamedTuple):
    """Which occurrences are like their own group and unlike the other; the first comes first."""

    own: Exact  # float64 (n,), read-only: mean cosine with other sentences of the own group
    other: Exact  # float64 (n,), read-only: mean cosine with the occurrences of the other group
    # int64, read-only: rows of the first group, one a sentence, the largest `own - other` first
    first: Ids
    second: Ids  # the same of the second group; its rows are counted on from the first group's


def resample(
    first: Sequence[Hashable], second: Sequence[Hashable], *, count: int = RESAMPLES
) -> Resamples:
    """Divide two groups anew, and draw from them; the same for the same sentences.

    Args:
        first: The sentence of each occurrence of the first group; equal ones are one sentence.
        second: The same of the second group. A sentence in both groups counts in each by itself.
        count: How many times.

    Raises:
        UserInputError: A group has fewer than 3 different sentences.

    References:
        Efron (1979), "Bootstrap methods: another look at the jackknife"; Good (2005),
        "Permutation, parametric and bootstrap tests of hypotheses".

    Example:
        >>> resample(["one", "two", "three"], ["four", "five", "six"], count=10).permuted.shape
        (11, 6)
    """
    numbers = [label_numbers(first), label_numbers(second)]
    sizes = [len(np.unique(each)) for each in numbers]
    if min(sizes) < MIN_SENTENCES:
        raise UserInputError(
            f"The groups have {sizes[0]:,} and {sizes[1]:,} different sentences; each needs at "
            f"least {MIN_SENTENCES}."
        )
    sentences = np.concatenate([numbers[0], numbers[1] + sizes[0]])
    random = np.random.default_rng(0)
    in_first = np.tile(np.arange(sum(sizes)) < sizes[0], (count + 1, 1))
    in_first[1:] = random.permuted(in_first[1:], axis=1)
    times = np.ones(in_first.shape, np.int64)
    times[1:] = np.concatenate(
        [random.multinomial(size, np.full(size, 1 / size), count) for size in sizes], axis=1
    )
    permuted = read_only(in_first[:, sentences])
    drawn = read_only(times[:, sentences])
    return Resamples(len(first), read_only(sentences), permuted, drawn)


def shift(layers: Iterable[tuple[Array, Array]], resamples: Resamples) -> Shift:
    """Measure how far two groups are apart at some layers.

    Args:
        layers: At each layer the vectors of the first and of the second group; one layer is held
            at a time.
        resamples: Of the same occurrences.

    Example:
        >>> groups = two_groups(occurrences, "mouse", ["year<1950"])
        >>> resamples = resample(*sentences_of(occurrences, groups))
        >>> shift([vectors_of(occurrences, groups, layer=6)], resamples).relative.round(2)
        array([1.58])
    """
    relative, permuted, drawn = [], [], []
    for first, second in layers:
        units = unit_rows(np.concatenate([first, second]))
        in_first = resamples.permuted
        permuted.append(_average_distance(_means(in_first, units), _means(~in_first, units)))
        redrawn = [_means(resamples.drawn[:, part], units[part]) for part in resamples.parts]
        drawn.append(_average_distance(*redrawn))
        distances = [_within(units[part], resamples.sentences[part]) for part in resamples.parts]
        within = round(sum(distances) / 2, DECIMALS)
        between = permuted[-1][0]
        relative.append(between / within if within else np.inf if between else 1)
    return measured(relative, np.stack(permuted, axis=1), np.stack(drawn, axis=1))


def measured(relative: Sequence[float], permuted: Exact, drawn: Exact) -> Shift:
    """Sum up resampled distances, float64 (resamples, layers); row 0 of each is the real one.

    Phipson & Smyth (2010) for p, Westfall & Young (1993) for `best_p`. The mean of drawn sentences
    is noisier, so the interval is moved by how much it is too high.
    """
    from scipy.stats import rankdata

    too_high = drawn[1:].mean(axis=0) - drawn[0]
    low, high = (np.percentile(drawn[1:], INTERVAL, axis=0) - too_high).clip(0)
    chance_low, chance_high = np.percentile(permuted[1:], CHANCE, axis=0)
    at_least_as_high = rankdata(-permuted, method="max", axis=0) / len(permuted)
    lowest = at_least_as_high.min(axis=1)
    return Shift(
        relative=frozen(relative, np.float64),
        average=frozen(permuted[0], np.float64),
        low=read_only(low),
        high=read_only(high),
        chance_low=read_only(chance_low),
        chance_high=read_only(chance_high),
        p=frozen(at_least_as_high[0], np.float64),
        best_p=float((lowest <= lowest[0]).mean()),
    )


def changed(first: Array, second: Array, resamples: Resamples) -> Changed:
    """Find the occurrences that are like their own group and unlike the other."""
    units = unit_rows(np.concatenate([first, second]))
    sentences = resamples.sentences
    in_first = resamples.permuted[0]
    same_group = in_first[:, None] == in_first
    others_of_group = same_group & (sentences[:, None] != sentences)
    cosines = units @ units.T
    own = cosines.mean(axis=1, where=others_of_group)
    other = cosines.mean(axis=1, where=~same_group)
    order = np.argsort(other - own, kind="stable")
    _, earliest = np.unique(sentences[order], return_index=True)  # of a sentence only its first
    order = order[np.sort(earliest)]
    rows = (read_only(order[in_first[order] == first]) for first in (True, False))
    return Changed(read_only(own), read_only(other), *rows)


def _average_distance(first: Exact, second: Exact) -> Exact:
    """Average the cosine distance over all pairs of an occurrence of each group, in [0, 2].

    The mean of all cosines is the product of the mean unit rows. "APD": Giulianelli et al. (2020).
    """
    return np.clip(1 - (first * second).sum(axis=-1), 0, 2).round(DECIMALS)


def _within(units: Exact, sentences: Ids) -> float:
    """The mean cosine distance of two rows of length 1 that are of different sentences."""
    return float(1 - (units @ units.T).mean(where=sentences[:, None] != sentences))


def _means(times: NDArray[Any], rows: Exact) -> Exact:
    """The mean row of each draw: (draws, n) and (n, hidden_size) to (draws, hidden_size)."""
    return (times.astype(np.float64) @ rows) / times.sum(axis=1, keepdims=True)


MAX_GROUP = 1_000  # occurrences of a group that are compared


@dataclass(frozen=True, eq=False, repr=False)
class TwoGroups(Readable):
    """The occurrences of a word in two groups; of each field the first group's comes first."""

    names: tuple[str, str]  # their conditions: "year<1950", "year>=1950"
    rows: tuple[Ids, Ids]  # int64, read-only, rising: numbers of occurrences, all or those drawn
    counts: tuple[int, int]  # how many there are
    left_out: int  # how many more there are, which are in neither

    def _summary(self) -> str:
        (one, other), (count, other_count) = self.names, self.counts
        left = f"in neither {self.left_out:,}"
        return f"{one}: {count:,} occurrences, {other}: {other_count:,}, {left}"


def two_groups(
    occurrences: Occurrences, word: str, by: Sequence[str], *, most: int = MAX_GROUP
) -> TwoGroups:
    """Divide the occurrences of a word by one condition, or two.

    Args:
        by: One condition, "year<1950": against all others that have a year. Or two.
        most: How many occurrences of a group are drawn, at random, where it has more.

    Raises:
        UserInputError: It is no condition, a group is empty, or an occurrence is in both.

    Example:
        >>> two_groups(occurrences, "mouse", ["year<1950"])
        TwoGroups(year<1950: 14 occurrences, year>=1950: 13, in neither 0)
    """
    conditions = [occurrences.condition(text) for text in by]
    if len(conditions) == 1:
        conditions.append(conditions[0].opposite)
    if len(conditions) != 2:
        raise UserInputError(f"There are {len(conditions)} conditions; give one or two.")
    names = str(conditions[0]), str(conditions[1])
    first, second = (occurrences.rows(word=word, where=condition) for condition in conditions)
    counts = len(first), len(second)
    total = occurrences.counts[word]
    for name, count in zip(names, counts, strict=True):
        if not count:
            raise UserInputError(
                f"No occurrence of “{word}” has {name}; in all there are {total:,}."
            )
    if both := len(np.intersect1d(first, second)):
        raise UserInputError(
            f"{both:,} occurrences of “{word}” meet both {names[0]} and {names[1]}; "
            "choose conditions of which none meets both."
        )
    drawn = (
        read_only(first[drawn_evenly(np.zeros_like(first), most)]),
        read_only(second[drawn_evenly(np.zeros_like(second), most)]),
    )
    return TwoGroups(names, drawn, counts, total - sum(counts))


def sentences_of(occurrences: Occurrences, groups: TwoGroups) -> tuple[list[str], list[str]]:
    """Read the sentence of each occurrence of both groups, for `resample`."""
    first, second = (
        occurrences.take(rows, ["sentence"]).column("sentence").to_pylist() for rows in groups.rows
    )
    return first, second


def vectors_of(occurrences: Occurrences, groups: TwoGroups, layer: int) -> tuple[Array, Array]:
    """Read the vectors of both groups at a layer: float32 (n, hidden_size) and (m, hidden_size)."""
    first, second = (occurrences.vectors(layer, rows) for rows in groups.rows)
    return first, second
