"""The position table: which positions are alike, what orders them, where its rows change."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import (
    Array,
    Exact,
    Ids,
    cosine_matrix,
    frozen,
)
from bertviz_core.errors import UserInputError
from bertviz_core.positions.baselines import DRAWS, same_spectrum
from bertviz_core.result import Result

MIN_POSITIONS = 3
# BERT as first published: 90% of the steps on 128 tokens, the rest on 512 (Devlin et al., A.2).
SHORT = 128
WINDOW = 32  # rows on each side of a border
# A step in length of 1% or more is called a break if at most 5% of the other borders have a larger
# step. In a table without a break, 5% of the borders are called one.
MIN_STEP, MAX_LARGER = 0.01, 0.05


@dataclass(frozen=True, eq=False, repr=False)
class DistanceProfile(Result):
    """How similar positions i and j are, by their distance |i - j|; index 0 is distance 1."""

    mean: Array  # float32 (n - 1,), the mean cosine of all pairs at a distance
    low: Array  # the 10th percentile of the same pairs
    high: Array  # the 90th percentile
    pairs: Ids  # int64 (n - 1,), how many there are
    explained: float  # R squared of `mean` as a prediction of all cosines; 0 if all are equal

    def columns(self) -> dict[str, Any]:
        """One row a distance, from 1."""
        return {
            "distance": np.arange(1, len(self.pairs) + 1),
            "pairs": self.pairs,
            "cosine mean": self.mean,
            "cosine 10%": self.low,
            "cosine 90%": self.high,
        }


@dataclass(frozen=True, eq=False, repr=False)
class PositionAnalysis(Result):
    """How the rows of a table of n positions compare with each other."""

    similarity: Array  # float32 (n, n), cosines in [-1, 1] between all rows
    norms: Array  # float32 (n,), Euclidean length of each row
    nearest: Ids  # int64 (n,), the position most like each one, itself left out
    by_distance: DistanceProfile  # the cosines by |i - j|

    @property
    def next_door(self) -> float:
        """The share of positions whose most similar one is a direct neighbour, 0 to 1."""
        return float(np.mean(np.abs(self.nearest - np.arange(len(self.nearest))) == 1))

    def columns(self) -> dict[str, Any]:
        """One row a position: its length and the position most like it."""
        return {
            "position": np.arange(len(self.norms)),
            "length": self.norms,
            "most similar": self.nearest,
        }

    def _summary(self) -> str:
        return (
            f"{len(self.norms):,} positions; those at distance 1 have a mean cosine of "
            f"{self.by_distance.mean[0]:.3f}, the distance explains "
            f"{self.by_distance.explained:.1%} of how all cosines differ"
        )


def analyse_positions(table: Array) -> PositionAnalysis:
    """Compare all rows of a position table with each other.

    Args:
        table: (n, hidden_size), n at least 3, row i for position i.

    Returns:
        Cosines, lengths, nearest rows and the profile by distance; read-only.

    Raises:
        UserInputError: There are fewer than 3 positions.

    Example:
        >>> positions = analyse_positions(bert.tables.position_embeddings)
        >>> positions.by_distance.mean[:3].round(2)  # neighbours are alike
        array([0.85, 0.59, 0.44], dtype=float32)
    """
    if len(table) < MIN_POSITIONS:
        raise UserInputError(
            f"This model has {len(table)} positions; comparing them needs at least {MIN_POSITIONS}."
        )
    similarity = frozen(cosine_matrix(table, table))
    others = similarity.copy()
    np.fill_diagonal(others, -np.inf)
    return PositionAnalysis(
        similarity=similarity,
        norms=frozen(np.linalg.norm(table.astype(np.float64), axis=1)),
        nearest=frozen(others.argmax(axis=1), np.int64),
        by_distance=similarity_by_distance(similarity),
    )


def similarity_by_distance(similarity: Array | Exact) -> DistanceProfile:
    """The profile of cosines (n, n) by the distance of positions. Wang & Chen (2020)."""
    exact = similarity.astype(np.float64)
    count = len(exact)
    diagonals = [np.diagonal(exact, distance) for distance in range(1, count)]
    mean = np.array([diagonal.mean() for diagonal in diagonals])
    spread = np.array([np.quantile(diagonal, (0.1, 0.9)) for diagonal in diagonals])
    pairs = np.array([len(diagonal) for diagonal in diagonals], dtype=np.int64)
    everything = np.concatenate(diagonals)
    total = float(((everything - everything.mean()) ** 2).sum())
    left = float(((everything - np.repeat(mean, pairs)) ** 2).sum())
    # Cosines that differ by rounding only leave nothing to explain.
    explained = 1 - left / total if total > 1e-12 * len(everything) else 0.0
    return DistanceProfile(
        mean=frozen(mean),
        low=frozen(spread[:, 0]),
        high=frozen(spread[:, 1]),
        pairs=frozen(pairs, np.int64),
        explained=float(np.clip(explained, 0, 1)),
    )


def explained_by_smoothness(table: Array) -> Array:
    """R squared of the distance in 3 random tables of the same spectrum: float32 (3,)."""
    draws = (same_spectrum(table, seed=seed) for seed in range(DRAWS))
    return frozen([similarity_by_distance(cosine_matrix(rows, rows)).explained for rows in draws])


class Border(NamedTuple):
    """The lengths of rows before and after a border between two positions."""

    before: float  # median length of the `WINDOW` rows before it
    after: float  # median length of as many rows after it
    larger: int  # the number of other borders where the two differ by more
    others: int  # the number of other borders

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
    # Step i is that at the border before position i + WINDOW.
    steps = np.abs(medians[WINDOW:] - medians[:-WINDOW])
    before, after = medians[start - WINDOW], medians[start]
    larger = np.count_nonzero(steps > steps[start - WINDOW])
    return Border(float(before), float(after), int(larger), len(steps) - 1)
