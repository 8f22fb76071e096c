"""A position table: which of its rows are alike, and how similar it is to the sinusoids."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal, NamedTuple

import numpy as np

from bertviz_core.arrays import (
    Array,
    Exact,
    Ids,
    cosine,
    cosine_matrix,
    frozen,
    principal_directions,
    read_only,
)
from bertviz_core.errors import UserInputError
from bertviz_core.result import Readable

MIN_POSITIONS = 3


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
    check_positions(table)
    similarity = frozen(cosine_matrix(table, table))
    others = similarity.copy()
    np.fill_diagonal(others, -np.inf)
    return PositionAnalysis(
        similarity=similarity,
        nearest=frozen(others.argmax(axis=1), np.int64),
    )


def check_positions(table: Array) -> None:
    """Raise a UserInputError if a table has too few rows to compare them."""
    if len(table) < MIN_POSITIONS:
        raise UserInputError(
            f"This model has {len(table)} positions; comparing them needs at least {MIN_POSITIONS}."
        )


def sinusoidal_table(positions: int, hidden_size: int) -> Array:
    """The position table of Vaswani et al. (2017), section 3.5: (positions, hidden_size)."""
    even = np.arange(0, hidden_size, 2)
    angles = np.arange(positions)[:, None] / 10_000.0 ** (even / hidden_size)  # (positions, pairs)
    table = np.empty((positions, hidden_size), dtype=np.float32)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : hidden_size // 2])
    return read_only(table)


DRAWS = 3  # of each kind, with the seeds 0, 1 and 2; their numbers are nearly equal
Verdict = Literal["the same", "the same, rotated", "alike in part", "smooth", "not alike"]

# A table is called the same from this likeness on. It is alike in part where the rotation leaves at
# most this share of what it leaves of the best baseline, and smooth up to this step.
SAME, LEFT, SMOOTH = 0.95, 0.8, 0.5
SPECTRUM, COVARIANCES = "same spectrum", "same spectrum and covariances"


class Likeness(NamedTuple):
    """How similar a table is to another of the same shape, in two ways, and how smooth it is."""

    identity: float  # mean cosine between the same rows of both
    rotation: float  # R squared after the best shift, scale and rotation or reflection, 0 to 1
    step: float  # near 0 for a smooth table, about 1 for rows without order, 1 for equal rows


class LikenessWithBaselines(NamedTuple):
    """A likeness, and those of random tables."""

    table: Likeness
    baselines: dict[str, list[Likeness]]  # by the kind of random tables, as in `columns`

    def rotations(self, kind: str) -> list[float]:
        """The rotation of each random table of a kind."""
        return [one.rotation for one in self.baselines[kind]]

    @property
    def best(self) -> float:
        """The largest rotation of the random tables that do not keep the covariances."""
        return max(max(self.rotations(kind)) for kind in self.baselines if kind != COVARIANCES)

    @property
    def verdict(self) -> Verdict:
        """What the numbers amount to, by `SAME`, `LEFT` and `SMOOTH`."""
        if self.table.identity >= SAME:
            return "the same"
        if self.table.rotation >= SAME:
            return "the same, rotated"
        if 1 - self.table.rotation <= LEFT * (1 - self.best):
            return "alike in part"
        return "smooth" if self.table.step <= SMOOTH else "not alike"

    def columns(self) -> dict[str, Any]:
        """One row a table: this one, then each kind of random tables: their mean, and the ends."""
        rows = {"this model": [self.table], **self.baselines}
        rotations = [[one.rotation for one in draws] for draws in rows.values()]
        return {
            "likeness to the sinusoids": list(rows),
            "step to the next row": [fmean(one.step for one in draws) for draws in rows.values()],
            "best rotation, R²": [fmean(draws) for draws in rotations],
            "R² lowest": [min(draws) for draws in rotations],
            "R² highest": [max(draws) for draws in rotations],
            "same rows, mean cosine": [
                fmean(one.identity for one in draws) for draws in rows.values()
            ],
        }


def likeness_with_baselines(table: Array, other: Array) -> LikenessWithBaselines:
    """Compare two tables (n, hidden_size), n at least 3, and 3 random tables of each kind."""
    check_positions(table)
    likeness, shape, generator = likeness_to(other), table.shape, np.random.default_rng

    def baseline(draw: Callable[[int], Array]) -> list[Likeness]:
        return [likeness(draw(seed)) for seed in range(DRAWS)]

    return LikenessWithBaselines(
        likeness(table),
        {
            COVARIANCES: baseline(lambda seed: same_spectrum(table, seed=seed, together=True)),
            SPECTRUM: baseline(lambda seed: same_spectrum(table, seed=seed)),
            "random walk": baseline(lambda seed: random_walk(*shape, seed=seed)),
            "its rows shuffled": baseline(lambda seed: generator(seed).permutation(table)),
            "random numbers": baseline(lambda seed: random_table(*shape, seed=seed)),
        },
    )


def likeness_to(other: Array) -> Callable[[Array], Likeness]:
    """A function that compares tables with `other` by Procrustes, Schönemann (1966)."""
    centred_other = _centred(other)
    # Once, and on its principal axes, where it has fewer columns: sinusoids of 384 dimensions have
    # about 100, and the rest is less than the rounding of float32.
    axes, variances = principal_directions(centred_other.T @ centred_other, other.shape[1])
    on_axes = centred_other @ axes[variances > 1e-14].T

    def likeness(table: Array) -> Likeness:
        centred = _centred(table)
        both = on_axes.T @ centred
        rotated = np.sqrt(np.linalg.eigvalsh(both @ both.T).clip(0))  # its singular values
        return Likeness(
            identity=float(cosine(table, other).mean()),
            rotation=float(rotated.sum() ** 2),
            step=_step(centred),
        )

    return likeness


def _centred(table: Array) -> Exact:
    """The rows less their mean, scaled to length 1 in all; zeros for a table of equal rows."""
    exact = table.astype(np.float64)
    rows = exact - exact.mean(axis=0)
    length = float(np.linalg.norm(rows))
    return rows / length if length else rows


def _step(centred: Exact) -> float:
    # Two different ones of n such rows have a mean squared distance of 2 / (n - 1).
    if not centred.any():
        return 1.0
    return float((np.diff(centred, axis=0) ** 2).mean(axis=0).sum()) * (len(centred) - 1) / 2


def random_table(positions: int, hidden_size: int, *, seed: int = 0) -> Array:
    """Independent normal numbers, float32 (positions, hidden_size)."""
    table = np.random.default_rng(seed).standard_normal((positions, hidden_size))
    return table.astype(np.float32)


def random_walk(positions: int, hidden_size: int, *, seed: int = 0) -> Array:
    """Rows that are each the one before plus a row of `random_table`."""
    steps = random_table(positions, hidden_size, seed=seed)
    return frozen(steps.cumsum(axis=0, dtype=np.float64))


def same_spectrum(table: Array, *, seed: int = 0, together: bool = False) -> Array:
    """A table with the same waves in random phases, of each dimension or for all `together`.

    The latter keeps the covariances. Theiler et al. (1992); Prichard & Theiler (1994).
    """
    waves = np.fft.rfft(table.astype(np.float64), axis=0)
    moved = (len(waves), 1) if together else waves.shape
    angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, moved)
    # The mean has no phase; nor has the fastest wave of an even count, 1, -1, 1, -1, ...
    angles[0] = 0
    if len(table) % 2 == 0:
        angles[-1] = 0
    return frozen(np.fft.irfft(waves * np.exp(1j * angles), n=len(table), axis=0))
