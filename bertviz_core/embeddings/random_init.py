"""Whether a table of the embedding layer still is as it was initialized.

`requires_grad` does not tell: it is true of every parameter that a library loads.
"""

from math import exp, lgamma, sqrt
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, unit_rows

# BERT as first published was drawn from a normal distribution that is cut at two deviations. Its
# deviation is this share of the whole one's.
CUT = 0.8796
BLOCK = 4096  # rows at a time
CHANGED = 6.0  # standard deviations from both ways of drawing a table


class RandomInitComparison(NamedTuple):
    """A table, and what a table would be that was just drawn at random."""

    length: float  # median length of its rows
    fresh_length: float  # mean length of a fresh row
    fresh_deviation: float  # standard deviation of the length of a fresh row
    cosine: float  # mean cosine of two of its rows; near 0 in a fresh table. 1 for a single row
    # The distance of the table's mean square from that of a fresh table, in standard deviations;
    # of the two ways of drawing, the nearer one.
    score: float

    @property
    def changed(self) -> bool:
        """Whether chance cannot explain the table as a fresh one: `score` is above 6."""
        return self.score > CHANGED


def random_init_comparison(table: Array, spread: float) -> RandomInitComparison:
    """Compare a table (rows, hidden_size) with independent normal numbers of mean 0."""
    rows, hidden_size = table.shape
    lengths = np.empty(rows)
    # In float64 a block at a time: the whole token table would take 300 MB while it is measured.
    sum_of_units = np.zeros(hidden_size)
    units_squared = 0.0
    for start in range(0, rows, BLOCK):
        block = table[start : start + BLOCK].astype(np.float64)
        lengths[start : start + BLOCK] = np.linalg.norm(block, axis=1)
        units = unit_rows(block)
        sum_of_units += units.sum(axis=0)
        units_squared += float(np.square(units).sum())
    square = float(np.square(lengths).sum() / table.size)
    # Mean and deviation of the chi distribution with hidden_size degrees of freedom.
    mean = sqrt(2) * exp(lgamma((hidden_size + 1) / 2) - lgamma(hidden_size / 2))
    by_chance = sqrt(2 / table.size)
    scores = [abs(square / (spread * cut) ** 2 - 1) / by_chance for cut in (1, CUT)]
    # The sum of all cosines but those of rows with themselves.
    total = float(np.square(sum_of_units).sum()) - units_squared
    return RandomInitComparison(
        length=float(np.median(lengths)),
        fresh_length=spread * mean,
        fresh_deviation=spread * sqrt(max(hidden_size - mean**2, 0)),
        cosine=total / (rows * (rows - 1)) if rows > 1 else 1.0,
        score=min(scores),
    )
