"""The position table of the original Transformer: computed, not learned."""

import numpy as np

from bertviz_core.arrays import Array, frozen, read_only

BASE = 10_000.0


def sinusoidal_table(positions: int, hidden_size: int) -> Array:
    """Compute the sinusoidal position table.

    Even dimension 2i holds sin(pos / 10000^(2i / hidden_size)), odd dimension 2i + 1 the cosine of
    the same angle: pairs of waves, from 6.3 positions to nearly 63,000 positions long.

    Args:
        positions: How many rows.
        hidden_size: How many dimensions; an odd one ends on a sine.

    Returns:
        float32 (positions, hidden_size), in [-1, 1], read-only; computed in float64.

    References:
        Vaswani et al. (2017), "Attention Is All You Need", section 3.5.
    """
    even = np.arange(0, hidden_size, 2)
    angles = np.arange(positions)[:, None] / BASE ** (even / hidden_size)  # (positions, pairs)
    table = np.empty((positions, hidden_size), dtype=np.float32)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : hidden_size // 2])
    return read_only(table)


def wave_shares(table: Array) -> Array:
    """Split a table into waves along its positions that fit a whole number of times.

    Args:
        table: (n, hidden_size), n at least 2; the mean of each dimension does not count.

    Returns:
        float32 (n // 2,), entry m - 1: the share of the table's variance in waves that go up and
        down m times over the n positions, all dimensions together. The shares add up to 1; all
        are 0 for a table of equal rows. A wave that does not fit is spread over those next to it.

    References:
        The discrete Fourier transform, `numpy.fft.rfft`, and Parseval's theorem.
    """
    exact = table.astype(np.float64)
    power = np.abs(np.fft.rfft(exact - exact.mean(axis=0), axis=0)) ** 2
    both_ways = power[1:].sum(axis=1)  # m = 1, 2, ..., n // 2
    # Each wave but the fastest of an even table stands for two entries of the full transform.
    both_ways[: (len(table) - 1) // 2] *= 2
    total = float(both_ways.sum())
    return frozen(both_ways / total if total > 1e-18 else 0 * both_ways)
