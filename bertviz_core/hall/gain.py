"""What a hall has learned at a question: the share of right answers before and after its view."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DRAWS = 2_000


class Gain(NamedTuple):
    """Hake's normalised gain (1998): which share of what could be learned was learned."""

    voters: int  # those who answered both times
    before: float  # share of right answers, 0 to 1
    after: float
    gain: float  # (after - before) / (1 - before), at most 1; NaN where all were right before
    low: float  # its 95 % interval, from voters drawn with replacement
    high: float


def normalised_gain(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> Gain:
    """Compare who was right before with who is after, voter by voter."""
    count = len(before)
    if not count:
        return Gain(0, np.nan, np.nan, np.nan, np.nan, np.nan)
    draws = np.random.default_rng(0).integers(count, size=(DRAWS, count))
    drawn = _gain(before[draws].mean(axis=1), after[draws].mean(axis=1))
    known = drawn[~np.isnan(drawn)]
    low, high = np.percentile(known, [2.5, 97.5]) if len(known) else (np.nan, np.nan)
    shares = np.array([before.mean()]), np.array([after.mean()])
    found = (*(float(share[0]) for share in (*shares, _gain(*shares))), float(low), float(high))
    return Gain._make((count, *found))


def _gain(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    room = 1 - before
    return np.divide(after - before, room, out=np.full(before.shape, np.nan), where=room > 0)
