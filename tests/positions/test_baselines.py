import math

import numpy as np
import pytest

from bertviz_core.positions.baselines import sinusoidal_table, wave_shares
from bertviz_core.positions.table import analyse_positions

SINUSOIDS = sinusoidal_table(60, 16)


def test_sinusoids_by_hand() -> None:
    table = sinusoidal_table(3, 4)
    for row in range(3):
        angles = (row, row / 100)
        by_hand = [function(angle) for angle in angles for function in (math.sin, math.cos)]
        assert table[row] == pytest.approx(by_hand, abs=1e-7)
    odd = [math.sin(4), math.cos(4), math.sin(4 / 10000 ** (2 / 3))]  # it ends on a sine
    assert sinusoidal_table(5, 3)[4] == pytest.approx(odd, abs=1e-7)
    angles = np.arange(512)[:, None] / 10000 ** (np.arange(0, 768, 2) / 768)  # of bert-base
    table = sinusoidal_table(512, 768)
    assert np.abs(table[:, 0::2] - np.sin(angles)).max() < 1e-6
    assert np.abs(table[:, 1::2] - np.cos(angles)).max() < 1e-6


def test_distance_alone_decides_among_sinusoids() -> None:
    analysis = analyse_positions(SINUSOIDS)
    assert analysis.by_distance.explained == pytest.approx(1, abs=1e-5)
    assert analysis.norms == pytest.approx(np.full(60, math.sqrt(8)), rel=1e-5)


@pytest.mark.parametrize("times", [1, 8])
@pytest.mark.parametrize("count", [16, 17])
def test_a_wave_that_fits_is_found_alone(times: int, count: int) -> None:
    wave = np.cos(2 * np.pi * times * np.arange(count) / count)[:, None].astype(np.float32)
    shares = wave_shares(wave + 5)
    assert shares.shape == (8,)
    assert shares[times - 1] == pytest.approx(1, abs=1e-5)


def test_wave_shares_weigh_by_variance() -> None:
    at = 2 * np.pi * np.arange(16) / 16
    table = np.stack([2 * np.sin(at), np.cos(8 * at)], axis=1).astype(np.float32)
    shares = wave_shares(table)
    # Variances: 4 / 2 of the sine; 1 of the fastest wave, which is 1, -1, 1, -1, ...
    assert shares[0] == pytest.approx(2 / 3, abs=1e-6)
    assert shares[7] == pytest.approx(1 / 3, abs=1e-6)
    assert shares.sum() == pytest.approx(1)
    assert not wave_shares(np.ones((8, 2), np.float32)).any()
