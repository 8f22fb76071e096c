"""Tables to compare a position table with: sinusoids, and random tables, some of them smooth."""

import numpy as np

from bertviz_core.arrays import Array, frozen, read_only

DRAWS = 3  # of each kind, with the seeds 0, 1 and 2; their numbers are nearly equal


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


def sinusoidal_table(positions: int, hidden_size: int) -> Array:
    """The position table of Vaswani et al. (2017), section 3.5: (positions, hidden_size)."""
    even = np.arange(0, hidden_size, 2)
    angles = np.arange(positions)[:, None] / 10_000.0 ** (even / hidden_size)  # (positions, pairs)
    table = np.empty((positions, hidden_size), dtype=np.float32)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : hidden_size // 2])
    return read_only(table)
