"""How alike two position tables are: row by row, after the best rotation, and in their patterns."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bertviz_core.arrays import Array, Exact, cosine, frozen, principal_directions
from bertviz_core.errors import UserInputError
from bertviz_core.positions.table import FEWEST, random_table

Verdict = Literal["the same", "the same, rotated", "alike in part", "not alike"]

MOST_PATTERNS = 64
SEED = 0
# A table is called the same from this likeness on; alike in part from so many times both baselines.
SAME, TIMES = 0.95, 2.0


@dataclass(frozen=True, eq=False)
class Likeness:
    """How alike a table is to another one of the same shape, in three ways.

    Attributes:
        identity: Mean cosine between the same rows of both, in [-1, 1]: are they equal?
        rotation: How much of the one the other explains after the best shift, scale and rotation
            or reflection (R squared), 0 to 1: are they equal but for the choice of axes?
        shared: float32 (k,), entry m - 1 for the m strongest patterns over positions of each: the
            mean squared cosine of the principal angles between the two subspaces, 0 to 1.
    """

    identity: float
    rotation: float
    shared: Array


@dataclass(frozen=True, eq=False)
class LikenessWithBaselines:
    """A likeness, and the same numbers for tables that cannot be alike.

    Attributes:
        table: The table against the other.
        shuffled: The table with its rows in a random order, which keeps all but the order.
        random: A table of independent normal numbers of the same shape.
    """

    table: Likeness
    shuffled: Likeness
    random: Likeness

    def verdict(self, patterns: int) -> Verdict:
        """Put the numbers in a word.

        Args:
            patterns: How many of the strongest patterns to compare, 1 to len(table.shared).

        Returns:
            "the same" where the identity is at least 0.95, "the same, rotated" where the rotation
            is, "alike in part" where the shared subspace is at least twice both baselines, else
            "not alike".
        """
        at = patterns - 1
        if self.table.identity >= SAME:
            return "the same"
        if self.table.rotation >= SAME:
            return "the same, rotated"
        baseline = max(self.shuffled.shared[at], self.random.shared[at])
        return "alike in part" if self.table.shared[at] >= TIMES * baseline else "not alike"


def likeness_with_baselines(
    table: Array, other: Array, *, seed: int = SEED
) -> LikenessWithBaselines:
    """Compare two tables, and two baselines: tables that share nothing with `other` but its shape.

    Args:
        table: (n, hidden_size), n at least 3.
        other: The same shape.
        seed: Of `numpy.random.default_rng` for the order of the shuffled rows, and of
            `random_table`.

    Returns:
        The likeness of `table`, of its shuffled rows and of a random table, each to `other`.

    Raises:
        UserInputError: There are fewer than 3 rows.
        ValueError: The shapes differ.
    """
    if table.shape != other.shape:
        raise ValueError(f"tables have shapes {table.shape} and {other.shape}")
    if len(table) < FEWEST:
        raise UserInputError(
            f"This model has {len(table)} positions; comparing tables needs at least {FEWEST}."
        )
    order = np.random.default_rng(seed).permutation(len(table))
    random = random_table(*table.shape, seed=seed)
    return LikenessWithBaselines(*(likeness(rows, other) for rows in (table, table[order], random)))


def likeness(table: Array, other: Array) -> Likeness:
    """Compare two tables of one shape in three ways; each is symmetric in the two.

    Args:
        table: (n, hidden_size).
        other: The same shape.

    Returns:
        The numbers; `shared` has min(64, n - 1, hidden_size) entries.

    References:
        Schönemann (1966), "A generalized solution of the orthogonal Procrustes problem";
        Björck & Golub (1973), "Numerical methods for computing angles between linear subspaces".
    """
    (left_a, values_a), (left_b, values_b) = _patterns(table), _patterns(other)
    cosines = left_a.T @ left_b  # (patterns, patterns)
    # The singular values of centred table.T @ other, without the larger matrix.
    rotated = np.linalg.svd(values_a[:, None] * cosines * values_b, compute_uv=False)
    count = min(MOST_PATTERNS, len(table) - 1, table.shape[1])
    within = np.cumsum(np.cumsum(cosines[:count, :count] ** 2, axis=0), axis=1)
    shared = frozen(np.diagonal(within) / np.arange(1, count + 1))
    return Likeness(float(cosine(table, other).mean()), float(rotated.sum() ** 2), shared)


def _patterns(table: Array) -> tuple[Exact, Exact]:
    """The table's patterns over positions, strongest first, and how strong they are.

    Returns:
        Orthonormal columns (n, r), and r strengths whose squares add up to 1; all 0 for a table
        of equal rows.
    """
    exact = table.astype(np.float64)
    centred = exact - exact.mean(axis=0)
    patterns, variances = principal_directions(centred @ centred.T, min(table.shape))
    total = float(variances.sum())
    return patterns.T, np.sqrt(variances / total) if total else variances
