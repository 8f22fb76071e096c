"""Two groups of occurrences, divided and drawn anew: what chance does, and how a number varies."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, frozen, read_only
from bertviz_core.errors import UserInputError
from bertviz_core.result import Readable
from bertviz_core.senses.scores import INTERVAL, label_numbers

FEWEST = 3  # sentences in a group
RESAMPLES = 999
CHANCE = (5, 95)  # percentiles: above the upper one, p is below 0.05
DECIMALS = 9  # beyond these, equal divisions differ by rounding
# From the mean features of each group, (..., features), to one number each, (...); at least 0.
Compare = Callable[[Exact, Exact], Exact]


@dataclass(frozen=True, eq=False, repr=False)
class Resamples(Readable):
    """Which occurrences are in which group, 999 times; the same at all layers."""

    first: int  # how many occurrences the first group has; those of the second follow them
    sentences: Ids  # int64 (n,), read-only, numbers the sentences; occurrences in one stay together
    # bool (1000, n), read-only: whether an occurrence is in the first group, when sentences
    # are given to the groups at random. Row 0 is how it is.
    permuted: NDArray[np.bool_]
    # int64 (1000, n), read-only: how often an occurrence counts, when as many sentences as
    # each group has are drawn from it with replacement. Row 0 is once each.
    drawn: Ids

    def together(self, first: Array, second: Array) -> Array:
        """Join the vectors of both groups; a UserInputError unless there is one an occurrence."""
        sizes = self.first, len(self.sentences) - self.first
        same = (len(first), len(second)) == sizes and first.shape[1:] == second.shape[1:]
        if not (same and np.isfinite(first).all() and np.isfinite(second).all()):
            raise UserInputError(
                f"Got vectors of the shapes {first.shape} and {second.shape}; expected are "
                f"{sizes[0]:,} and {sizes[1]:,}, equally long and of finite numbers only."
            )
        return np.concatenate([first, second])

    def compare(self, features: Exact, compare: Compare) -> "Scores":
        """Compare the groups' mean features (n, features): as they are, permuted, drawn anew."""
        parts = slice(None, self.first), slice(self.first, None)
        permuted = compare(_means(self.permuted, features), _means(~self.permuted, features))
        drawn = compare(*(_means(self.drawn[:, part], features[part]) for part in parts))
        return Scores(permuted.round(DECIMALS), drawn.round(DECIMALS))


class Scores(NamedTuple):
    """A number for each resample."""

    permuted: Exact  # float64 (1000,); [0] is the number as it is
    drawn: Exact  # float64 (1000,); [0] likewise


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure of how far two groups are apart, at each of some layers."""

    values: Exact  # float64 (layers,), read-only; so are the others
    low: Exact  # lower end of the 95% interval: it varies so with as many other sentences
    high: Exact  # its upper end
    chance_low: Exact  # 5 of 100 permutations stay below
    chance_high: Exact  # 95 of 100 permutations stay below
    p: Exact  # the share of permutations, the real division among them, at least as high
    # The share of permutations, the real division among them, whose lowest `p` at any layer is as
    # low as that of the real one. For whoever picks the layer with the lowest.
    best_p: float


def resample(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    *,
    count: int = RESAMPLES,
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
    if min(sizes) < FEWEST:
        raise UserInputError(
            f"The groups have {sizes[0]:,} and {sizes[1]:,} different sentences; each needs at "
            f"least {FEWEST}."
        )
    sentences = np.concatenate([numbers[0], numbers[1] + sizes[0]])
    random = np.random.default_rng(0)
    in_first = np.tile(np.arange(sum(sizes)) < sizes[0], (count + 1, 1))
    in_first[1:] = random.permuted(in_first[1:], axis=1)
    times = np.ones(in_first.shape, np.int64)
    times[1:] = np.concatenate(
        [random.multinomial(size, np.full(size, 1 / size), count) for size in sizes], axis=1
    )
    return Resamples(
        len(first),
        read_only(sentences),
        read_only(in_first[:, sentences]),
        read_only(times[:, sentences]),
    )


def measured(scores: Sequence[Scores]) -> Measure:
    """Sum up the scores of some layers (Phipson & Smyth 2010; Westfall & Young 1993 for `best_p`).

    The mean of drawn sentences is noisier, so the interval is moved by how much it is too high.
    """
    from scipy.stats import rankdata

    permuted = np.stack([each.permuted for each in scores], axis=1)  # (resamples, layers)
    drawn = np.stack([each.drawn for each in scores], axis=1)
    too_high = drawn[1:].mean(axis=0) - drawn[0]
    low, high = (np.percentile(drawn[1:], INTERVAL, axis=0) - too_high).clip(0)
    chance_low, chance_high = np.percentile(permuted[1:], CHANCE, axis=0)
    at_least_as_high = rankdata(-permuted, method="max", axis=0) / len(permuted)
    lowest = at_least_as_high.min(axis=1)
    return Measure(
        values=frozen(permuted[0], np.float64),
        low=read_only(low),
        high=read_only(high),
        chance_low=read_only(chance_low),
        chance_high=read_only(chance_high),
        p=frozen(at_least_as_high[0], np.float64),
        best_p=float((lowest <= lowest[0]).mean()),
    )


def sums_of(sentences: Ids, rows: Exact) -> Exact:
    """Add up the rows of each sentence: one row a number."""
    sums = np.zeros((sentences.max() + 1, rows.shape[1]))
    np.add.at(sums, sentences, rows)
    return sums


def _means(times: NDArray[Any], features: Exact) -> Exact:
    """The mean features of each draw: (draws, n) and (n, features) to (draws, features)."""
    return (times.astype(np.float64) @ features) / times.sum(axis=1, keepdims=True)
