"""A position table: which of its rows are alike, and how like those of another table they are."""

from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Array, Exact, Ids, cosine, cosine_matrix, frozen, read_only
from bertviz_core.errors import UserInputError
from bertviz_core.result import Readable

MIN_POSITIONS = 3
SAME = 0.95  # the correlation from which on two tables are called the same


@dataclass(frozen=True, eq=False, repr=False)
class PositionAnalysis(Readable):
    """How the rows of a table of n positions compare with each other."""

    similarity: Array  # float32 (n, n), cosines in [-1, 1] between all rows
    nearest: Ids  # int64 (n,), the position most like each one, itself left out

    @property
    def next_door(self) -> float:
        """The share of positions whose most similar one is a direct neighbour, 0 to 1."""
        return float(np.mean(np.abs(self.nearest - np.arange(len(self.nearest))) == 1))


def analyse_positions(table: Array) -> PositionAnalysis:
    """Compare all rows of a position table with each other.

    Args:
        table: (n, hidden_size), n at least 3, row i for position i.

    Returns:
        Cosines and nearest rows; read-only.

    Raises:
        UserInputError: There are fewer than 3 positions.

    Example:
        >>> positions = analyse_positions(bert.tables.position_embeddings)
        >>> positions.similarity[100, 101:104].round(2)  # neighbours are alike
        array([0.86, 0.68, 0.6 ], dtype=float32)
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
        nearest=frozen(others.argmax(axis=1), np.int64),
    )


def sinusoidal_table(positions: int, hidden_size: int) -> Array:
    """The position table of Vaswani et al. (2017), section 3.5: (positions, hidden_size)."""
    even = np.arange(0, hidden_size, 2)
    angles = np.arange(positions)[:, None] / 10_000.0 ** (even / hidden_size)  # (positions, pairs)
    table = np.empty((positions, hidden_size), dtype=np.float32)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : hidden_size // 2])
    return read_only(table)


def correlation_of_cosines(cosines: Array, others: Array) -> float:
    """Pearson's correlation of the cosines (n, n) of two tables over all pairs of rows, -1 to 1.

    It is 1 for tables that differ by a rotation, a reflection and a scale, and 0 where all cosines
    of one are equal.
    """
    pairs = np.triu_indices(len(cosines), 1)
    first, second = (matrix[pairs].astype(np.float64) for matrix in (cosines, others))
    return float(cosine(first - first.mean(), second - second.mean()))


def mean_by_distance(cosines: Array) -> Exact:
    """The mean cosine of two rows 1, 2, ... n - 1 apart: float64 (n - 1,), from (n, n)."""
    return np.array(
        [np.diagonal(cosines, distance).mean() for distance in range(1, len(cosines))], np.float64
    )
