"""Tables that are like another one in some respect only, to compare a position table with.

Two have no order of rows at all. Two are smooth, so that they have all that smoothness alone brings
about: rows next to each other are alike, and the strongest patterns over positions are slow waves.
"""

import numpy as np

from bertviz_core.arrays import Array, Ids, frozen

DRAWS = 3  # of each kind, with the seeds 0, 1 and 2; all are alike, and each takes time


def random_order(positions: int, *, seed: int = 0) -> Ids:
    """Draw an order of rows; a table in that order keeps all but its own.

    Returns:
        int64 (positions,), each of 0 to positions - 1 once, of `numpy.random.default_rng(seed)`.
    """
    return np.random.default_rng(seed).permutation(positions)


def random_table(positions: int, hidden_size: int, *, seed: int = 0) -> Array:
    """Draw a table of independent normal numbers.

    Returns:
        float32 (positions, hidden_size), of `numpy.random.default_rng(seed)`.
    """
    drawn = np.random.default_rng(seed).standard_normal((positions, hidden_size))
    return drawn.astype(np.float32)


def random_walk(positions: int, hidden_size: int, *, seed: int = 0) -> Array:
    """Draw a table whose rows go on from each other: each is the one before plus random numbers.

    Returns:
        float32 (positions, hidden_size), sums of the rows of `random_table`, read-only.
    """
    steps = random_table(positions, hidden_size, seed=seed)
    return frozen(steps.cumsum(axis=0, dtype=np.float64))


def same_spectrum(table: Array, *, seed: int = 0, together: bool = False) -> Array:
    """Draw a table as smooth as another one: the same waves in each dimension, moved at random.

    Each dimension keeps its mean and the strength of each of its waves along the positions, and
    with them its variance and its autocorrelation (that of a table whose end joins its beginning).
    Where each wave has its peaks is drawn anew: for each dimension by itself, or for all together,
    which keeps the covariances of the dimensions, too.

    Args:
        table: (n, hidden_size), n at least 2.
        seed: Of `numpy.random.default_rng`.
        together: Whether a wave moves as far in all dimensions.

    Returns:
        float32 (n, hidden_size), read-only.

    References:
        Theiler et al. (1992), "Testing for nonlinearity in time series: the method of surrogate
        data", for random phases; Prichard & Theiler (1994), "Generating surrogate data for time
        series with several simultaneously measured variables", for the same ones in all.
    """
    waves = np.fft.rfft(table.astype(np.float64), axis=0)
    moved = (len(waves), 1) if together else waves.shape
    angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, moved)
    # The mean does not move; nor does the fastest wave of an even count, 1, -1, 1, -1, ...
    angles[0] = 0
    if len(table) % 2 == 0:
        angles[-1] = 0
    return frozen(np.fft.irfft(waves * np.exp(1j * angles), n=len(table), axis=0))
