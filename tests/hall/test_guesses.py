"""What was learned, worked by hand."""

import pytest

from bertviz_core.hall.guesses import normalised_gain


def test_gain_by_hand() -> None:
    before, after = (True, False, False, False, False), (True, True, True, False, True)
    found = normalised_gain(zip(before, after, strict=True))
    assert (found.voters, found.learned, found.lost) == (5, 3, 0)
    assert (found.before, found.after) == (0.2, 0.8)
    assert found.gain == pytest.approx((0.8 - 0.2) / (1 - 0.2))
    back = normalised_gain(zip(after, before, strict=True))
    assert back.gain == pytest.approx((0.2 - 0.8) / 0.2)


def test_nothing_to_learn() -> None:
    assert normalised_gain([(True, True), (True, False)]).gain is None
