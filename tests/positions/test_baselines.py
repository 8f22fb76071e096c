import math

import numpy as np
import pytest

from bertviz_core.positions.baselines import sinusoidal_table, wave_shares


def test_sinusoids_by_hand() -> None:
    table = sinusoidal_table(3, 4)
    for row in range(3):
        angles = (row, row / 100)
        by_hand = [function(angle) for angle in angles for function in (math.sin, math.cos)]
        assert table[row] == pytest.approx(by_hand, abs=1e-7)
    odd = [math.sin(4), math.cos(4), math.sin(4 / 10000 ** (2 / 3))]  # it ends on a sine
    assert sinusoidal_table(5, 3)[4] == pytest.approx(odd, abs=1e-7)


def test_wave_shares_by_hand() -> None:
    at = 2 * np.pi * np.arange(16) / 16
    table = np.stack([2 * np.sin(at), np.cos(8 * at)], axis=1).astype(np.float32)
    shares = wave_shares(table)
    # Variances: 4 / 2 of the sine; 1 of the fastest wave, which is 1, -1, 1, -1, ...
    assert shares[0] == pytest.approx(2 / 3, abs=1e-6)
    assert shares[7] == pytest.approx(1 / 3, abs=1e-6)
    assert shares.sum() == pytest.approx(1)
    odd = np.cos(2 * np.pi * 8 * np.arange(17) / 17)[:, None].astype(np.float32)
    assert wave_shares(odd + 5) == pytest.approx(np.eye(8)[7], abs=1e-5)
    assert not wave_shares(np.ones((8, 2), np.float32)).any()
