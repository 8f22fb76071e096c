"""What was learned, worked by hand."""

import math

import numpy as np
import pytest

from bertviz_core.hall.gain import normalised_gain


def test_gain_by_hand() -> None:
    before = np.array([True, False, False, False, False])
    after = np.array([True, True, True, False, True])
    found = normalised_gain(before, after)
    assert (found.voters, found.before, found.after) == (5, 0.2, 0.8)
    assert found.gain == pytest.approx((0.8 - 0.2) / (1 - 0.2))
    assert found.low < found.gain < found.high <= 1
    assert normalised_gain(after, before).gain == pytest.approx((0.2 - 0.8) / 0.2)


def test_nothing_to_learn() -> None:
    everybody = np.ones(3, bool)
    assert math.isnan(normalised_gain(everybody, everybody).gain)
    assert normalised_gain(np.zeros(0, bool), np.zeros(0, bool)).voters == 0
