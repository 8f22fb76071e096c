"""What a hall has learned at a question: who was right before its view, and who is after it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MIN_VOTERS = 5  # below, there are counts and no interval
# Of a likelihood ratio: with it the interval holds the truth in .94 of halls or more, with the 3.84
# of many voters in .87. Counted over all outcomes of 5, 20 and 60 voters in some 300 populations.
LIMIT = 5.0
FARTHEST = 1e6  # 1 - gain, beyond the interval of any hall
STEPS = 60  # each halves what is searched

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class Gain(NamedTuple):
    """Hake's normalised gain (1998): which share of what could be learned was learned."""

    voters: int  # those who answered both times
    learned: int  # wrong before, right after
    lost: int  # right before, wrong after
    before: float  # share of right answers, 0 to 1
    after: float
    gain: float  # (after - before) / (1 - before), at most 1; NaN where all were right before
    low: float  # its interval, see `gain_interval`; NaN below MIN_VOTERS
    high: float


def normalised_gain(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> Gain:
    """Compare who was right before with who is after, voter by voter."""
    voters, wrong = len(before), int((~before).sum())
    learned, lost = int((after & ~before).sum()), int((before & ~after).sum())
    shares = (float(before.mean()), float(after.mean())) if voters else (np.nan, np.nan)
    gain = (learned - lost) / wrong if wrong else np.nan
    low, high = np.nan, np.nan
    if wrong and voters >= MIN_VOTERS:
        counted = (np.array([count]) for count in (learned, lost, wrong - learned))
        low, high = (float(end[0]) for end in gain_interval(*counted))
    return Gain(voters, learned, lost, *shares, gain, low, high)


def gain_interval(learned: Counts, lost: Counts, missed: Counts) -> tuple[Floats, Floats]:
    """Which gains of all such voters are likely enough, for halls of which somebody was wrong.

    Args:
        learned: Of each hall, how many voters were wrong before and right after.
        lost: How many were right before and wrong after.
        missed: How many were wrong both times.

    Returns:
        The lowest and the highest gain for which the likelihood ratio of the counts is at most
        LIMIT. Voters who were right both times change nothing.

    References:
        Owen (1988): the empirical likelihood of a mean.
    """
    counts = (learned, lost, missed)
    best = (lost + missed) / (learned + missed)  # 1 - gain: who is wrong after for one before
    ends = (np.full(best.shape, FARTHEST), np.zeros(best.shape))
    low, high = (1 - _last_likely(best, end, counts) for end in ends)
    return low, high


def _last_likely(likely: Floats, unlikely: Floats, counts: tuple[Counts, ...]) -> Floats:
    for _ in range(STEPS):
        middle = (likely + unlikely) / 2
        holds = _likelihood_ratio(middle, counts) <= LIMIT
        likely = np.where(holds, middle, likely)
        unlikely = np.where(holds, unlikely, middle)
    return likely


def _likelihood_ratio(left: Floats, counts: tuple[Counts, ...]) -> Floats:
    """Twice the log-likelihood that counts lose where 1 - gain is `left`.

    A voter adds (after - before) - gain (1 - before), which is 0 on average: left where learned,
    -1 where lost, left - 1 where missed. The weights of least loss are 1 / (1 + tilt * added).
    """
    added = (left, np.full(left.shape, -1.0), left - 1)
    low, high = -1 / np.maximum(left, 1e-9), np.ones(left.shape)
    terms, tiny = [*zip(counts, added, strict=True)], 1e-300
    for _ in range(STEPS):
        tilt = (low + high) / 2
        slope = sum(count * one / np.maximum(1 + tilt * one, tiny) for count, one in terms)
        low, high = np.where(slope > 0, tilt, low), np.where(slope > 0, high, tilt)
    losses = [count * np.log(np.maximum(1 + high * one, tiny)) for count, one in terms]
    return np.asarray(2 * sum(losses))
