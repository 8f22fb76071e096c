"""Whether rows on both sides of a position differ, beside all other positions of the table."""

from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.positions.table import PositionAnalysis

# BERT as first published: 90 % of the steps on 128 tokens, the rest on 512 (Devlin et al., A.2).
SHORT = 128
WINDOW = 32  # rows on each side
# A step in length of 1% or more is called a break if at most 5% of the other borders have a larger
# one: so many of a table without any break would be called one.
LEAST, MOST = 0.01, 0.05


class Border(NamedTuple):
    """The rows before a position and from it on; a border lies between two rows."""

    before: float  # median length of the `WINDOW` rows before it
    after: float  # of the same number from it on
    larger: int  # at how many other borders the two differ by more
    others: int  # how many there are
    across: float  # cosine of the rows on both sides of it
    less_alike: int  # how many other neighbours are less alike
    cosines: tuple[float, float]  # median of the neighbours up to it, and from it on

    @property
    def is_break(self) -> bool:
        """Whether the step in length is among the largest of all borders."""
        seen = abs(self.after - self.before) >= LEAST * self.before > 0
        return seen and self.larger <= MOST * self.others


def border_at(positions: PositionAnalysis, start: int = SHORT) -> Border | None:
    """Compare the rows before position `start` with those from it on; None in a shorter table."""
    if len(positions.norms) < start + WINDOW:
        return None
    medians = np.median(np.lib.stride_tricks.sliding_window_view(positions.norms, WINDOW), axis=1)
    # Step i lies between position i + WINDOW and the one before.
    steps = np.abs(medians[WINDOW:] - medians[:-WINDOW])
    alike = next_door_cosines(positions)
    return Border(
        before=float(medians[start - WINDOW]),
        after=float(medians[start]),
        larger=int((steps > steps[start - WINDOW]).sum()),
        others=len(steps) - 1,
        across=float(alike[start - 1]),
        less_alike=int((alike < alike[start - 1]).sum()),
        cosines=(float(np.median(alike[: start - 1])), float(np.median(alike[start:]))),
    )


def next_door_cosines(positions: PositionAnalysis) -> Array:
    """Cosine of each row and the next one, (n - 1,)."""
    cosines: Array = np.diagonal(positions.similarity, 1)
    return cosines
