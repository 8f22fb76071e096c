import math

import pytest

from bertviz_core.positions.baselines import sinusoidal_table


def test_sinusoids_by_hand() -> None:
    table = sinusoidal_table(3, 4)
    for row in range(3):
        angles = (row, row / 100)
        by_hand = [function(angle) for angle in angles for function in (math.sin, math.cos)]
        assert table[row] == pytest.approx(by_hand, abs=1e-7)
    odd = [math.sin(4), math.cos(4), math.sin(4 / 10000 ** (2 / 3))]  # it ends on a sine
    assert sinusoidal_table(5, 3)[4] == pytest.approx(odd, abs=1e-7)
