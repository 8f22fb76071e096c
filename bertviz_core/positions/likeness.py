"""How alike two position tables are: row by row, after the best rotation, and in their patterns."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bertviz_core.arrays import Array, Exact, Ids, cosine, frozen, principal_directions
from bertviz_core.errors import UserInputError
from bertviz_core.positions.baselines import (
    DRAWS,
    random_order,
    random_table,
    random_walk,
    same_spectrum,
)
from bertviz_core.positions.table import FEWEST
from bertviz_core.result import Readable, Result

Verdict = Literal["the same", "the same, rotated", "alike in part", "smooth", "not alike"]

MOST_PATTERNS = 64
# A table is called the same from this likeness on; alike in part where the rotation leaves at most
# so much of what it leaves of the best baseline; smooth up to this step.
SAME, LEFT, SMOOTH = 0.95, 0.8, 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Likeness(Readable):
    """How alike a table is to another of the same shape, in three ways; and how smooth it is."""

    identity: float  # mean cosine between the same rows of both, in [-1, 1]: are they equal?
    # How much of the one the other explains after the best shift, scale and rotation or reflection
    # (R squared), 0 to 1: are they equal but for the choice of axes?.
    rotation: float
    # float32 (k,), entry m - 1 for the m strongest patterns over positions of each: the mean
    # squared cosine of the principal angles between the two subspaces, 0 to 1.
    shared: Array
    # Of the first table alone: the mean squared distance of next-door rows by that of two rows at
    # random. Near 0 for a smooth table, about 1 for rows without order; 1 for equal rows.
    step: float


@dataclass(frozen=True, eq=False, repr=False)
class Baseline(Readable):
    """The likeness of several random tables of one kind; all arrays are float32 and read-only."""

    identity: Array  # (draws,), as in `Likeness`
    rotation: Array  # (draws,)
    shared: Array  # (draws, k)
    step: Array  # (draws,)


@dataclass(frozen=True, eq=False, repr=False)
class LikenessWithBaselines(Result):
    """A likeness, and the same numbers for random tables: a baseline."""

    table: Likeness  # the table against the other
    shuffled: Baseline  # the table with its rows in a random order, which keeps all but the order
    random: Baseline  # tables of independent normal numbers
    # Tables with the spectrum of the table and the covariances of its dimensions.
    covariances: Baseline
    # Tables with the spectrum of the table in each dimension: as smooth, else random.
    spectrum: Baseline
    walk: Baseline  # random walks: smooth whatever the table is

    @property
    def best(self) -> float:
        """The largest rotation of all random tables but those that keep the covariances.

        These keep nearly all of the table; of sinusoids under noise they are as much like
        sinusoids as those are.
        """
        baselines = (self.shuffled, self.random, self.spectrum, self.walk)
        return max(float(baseline.rotation.max()) for baseline in baselines)

    @property
    def verdict(self) -> Verdict:
        """The numbers in a word.

        "the same" where the identity is at least 0.95; "the same, rotated" where the rotation is;
        "alike in part" where the rotation leaves at most 0.8 times as much unexplained as it
        leaves of the best random table (`best`); else "smooth" where the step is at most 0.5.
        """
        if self.table.identity >= SAME:
            return "the same"
        if self.table.rotation >= SAME:
            return "the same, rotated"
        if 1 - self.table.rotation <= LEFT * (1 - self.best):
            return "alike in part"
        return "smooth" if self.table.step <= SMOOTH else "not alike"

    def columns(self) -> dict[str, Any]:
        """One row a table: this one, then each kind of random tables, as means of their draws."""
        rows: dict[str, Likeness | Baseline] = {
            "this model": self.table,
            "same spectrum and covariances": self.covariances,
            "same spectrum": self.spectrum,
            "random walk": self.walk,
            "its rows shuffled": self.shuffled,
            "random numbers": self.random,
        }
        return {
            "likeness to the other table": list(rows),
            "step to the next row": [float(np.mean(row.step)) for row in rows.values()],
            "best rotation, R²": [float(np.mean(row.rotation)) for row in rows.values()],
            "same rows, mean cosine": [float(np.mean(row.identity)) for row in rows.values()],
        }

    def _summary(self) -> str:
        return (
            f"{self.verdict}: the best rotation explains {self.table.rotation:.1%}, of tables with "
            f"its spectrum and covariances {self.covariances.rotation.mean():.1%}, of other random "
            f"tables at most {self.best:.1%}"
        )


def likeness_with_baselines(table: Array, other: Array) -> LikenessWithBaselines:
    """Compare two tables (n, hidden_size), n at least 3, and 3 random tables of each kind.

    The random ones share with `other` no more than smoothness; see `positions.baselines`.
    """
    if table.shape != other.shape:
        raise ValueError(f"tables have shapes {table.shape} and {other.shape}")
    if len(table) < FEWEST:
        raise UserInputError(
            f"This model has {len(table)} positions; comparing tables needs at least {FEWEST}."
        )
    target, own, seeds = _Target(other), _Table.of(table), range(DRAWS)
    shape = table.shape
    together, apart = (
        _baseline(
            target.likeness(_Table.of(same_spectrum(table, seed=s, together=kept))) for s in seeds
        )
        for kept in (True, False)
    )
    return LikenessWithBaselines(
        table=target.likeness(own),
        shuffled=_baseline(
            target.likeness(own.in_order(random_order(len(table), seed=s))) for s in seeds
        ),
        random=_baseline(target.likeness(_Table.of(random_table(*shape, seed=s))) for s in seeds),
        covariances=together,
        spectrum=apart,
        walk=_baseline(target.likeness(_Table.of(random_walk(*shape, seed=s))) for s in seeds),
    )


def likeness(table: Array, other: Array) -> Likeness:
    """Compare two tables of one shape (n, hidden_size) in three ways; each is symmetric in the two.

    Schönemann (1966), "A generalized solution of the orthogonal Procrustes problem"; Björck &
    Golub (1973), "Numerical methods for computing angles between linear subspaces"; von Neumann
    (1941), "Distribution of the ratio of the mean square successive difference to the variance",
    for the step.
    """
    return _Target(other).likeness(_Table.of(table))


@dataclass(frozen=True, eq=False)
class _Table:
    """A table, the same centred, and its strongest patterns, which take the longest to find."""

    rows: Array
    centred: Exact
    patterns: Exact

    @staticmethod
    def of(rows: Array) -> "_Table":
        centred = _centred(rows)
        return _Table(rows, centred, _strongest_patterns(centred))

    def in_order(self, order: Ids) -> "_Table":
        """The rows in another order; the patterns go with them."""
        return _Table(self.rows[order], self.centred[order], self.patterns[order])


class _Target:
    """A table that many are compared with."""

    def __init__(self, rows: Array) -> None:
        self._rows = rows
        centred = _centred(rows)
        self._patterns = _strongest_patterns(centred)
        # On its principal axes the table has fewer columns: the sinusoids of 384 dimensions fill
        # about 100, and what is left out is less than the rounding of float32.
        axes, variances = principal_directions(centred.T @ centred, rows.shape[1])
        self._on_axes = centred @ axes[variances > 1e-14].T

    def likeness(self, table: _Table) -> Likeness:
        both = self._on_axes.T @ table.centred
        rotated = np.sqrt(np.linalg.eigvalsh(both @ both.T).clip(0))  # its singular values
        squares = (table.patterns.T @ self._patterns) ** 2
        within = np.diagonal(np.cumsum(np.cumsum(squares, axis=0), axis=1))
        return Likeness(
            identity=float(cosine(table.rows, self._rows).mean()),
            rotation=float(rotated.sum() ** 2),
            shared=frozen(within / np.arange(1, len(within) + 1)),
            step=_step(table.centred),
        )


def _baseline(draws: Iterable[Likeness]) -> Baseline:
    found = list(draws)
    return Baseline(
        identity=frozen([each.identity for each in found]),
        rotation=frozen([each.rotation for each in found]),
        shared=frozen([each.shared for each in found]),
        step=frozen([each.step for each in found]),
    )


def _centred(table: Array) -> Exact:
    """The rows without their mean, at length 1 in all; zeros for a table of equal rows."""
    exact = table.astype(np.float64)
    rows = exact - exact.mean(axis=0)
    length = float(np.linalg.norm(rows))
    return rows / length if length else rows


def _strongest_patterns(centred: Exact) -> Exact:
    """The strongest patterns over positions, at most 64: orthonormal columns (n, k)."""
    n, hidden_size = centred.shape
    count = min(MOST_PATTERNS, n - 1, hidden_size)
    if n <= hidden_size:
        return principal_directions(centred @ centred.T, count)[0].T
    directions, _ = principal_directions(centred.T @ centred, count)
    # Orthogonal already; this brings them to length 1, those without strength too.
    return np.linalg.qr(centred @ directions.T)[0]


def _step(centred: Exact) -> float:
    # The squared distance of two different rows is 2 / (n - 1) on average, as n centred rows of
    # length 1 in all have it.
    if not centred.any():
        return 1.0
    return float((np.diff(centred, axis=0) ** 2).mean(axis=0).sum()) * (len(centred) - 1) / 2
