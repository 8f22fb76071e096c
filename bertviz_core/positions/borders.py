"""Whether rows on both sides of a position differ in length, beside all other places."""

from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array

# BERT as first published: 90 % of the steps on 128 tokens, the rest on 512 (Devlin et al., A.2).
SHORT = 128
WINDOW = 32  # rows on each side
# A step in length of 1% or more is called a break if at most 5% of the other borders have a larger
# one: so many of a table without any break would be called one.
MIN_STEP, MAX_LARGER = 0.01, 0.05


class Border(NamedTuple):
    """The lengths of rows before a position and from it on; a border lies between two rows."""

    before: float  # median length of the `WINDOW` rows before it
    after: float  # of the same number from it on
    larger: int  # at how many other borders the two differ by more
    others: int  # how many there are

    @property
    def is_break(self) -> bool:
        """Whether the step in length is among the largest of all borders."""
        seen = abs(self.after - self.before) >= MIN_STEP * self.before > 0
        return seen and self.larger <= MAX_LARGER * self.others


def border_at(norms: Array, start: int = SHORT) -> Border | None:
    """Compare the rows before position `start` with those from it on; None in a shorter table."""
    if len(norms) < start + WINDOW:
        return None
    medians = np.median(np.lib.stride_tricks.sliding_window_view(norms, WINDOW), axis=1)
    # Step i lies between position i + WINDOW and the one before.
    steps = np.abs(medians[WINDOW:] - medians[:-WINDOW])
    before, after = medians[start - WINDOW], medians[start]
    larger = np.count_nonzero(steps > steps[start - WINDOW])
    return Border(float(before), float(after), int(larger), len(steps) - 1)
