"""What was learned, worked by hand; and how often its interval holds the truth."""

import math

import numpy as np
import pytest

from bertviz_core.hall.gain import MIN_VOTERS, gain_interval, normalised_gain

RNG = np.random.default_rng(0)


def test_gain_by_hand() -> None:
    before = np.array([True, False, False, False, False])
    after = np.array([True, True, True, False, True])
    found = normalised_gain(before, after)
    assert (found.voters, found.learned, found.lost) == (5, 3, 0)
    assert (found.before, found.after) == (0.2, 0.8)
    assert found.gain == pytest.approx((0.8 - 0.2) / (1 - 0.2))
    assert found.low < found.gain < found.high <= 1
    assert normalised_gain(after, before).gain == pytest.approx((0.2 - 0.8) / 0.2)


def test_all_right_after_is_not_certain() -> None:
    """The likelihood ratio is 2 n log(1 + left) there, which is LIMIT at exp(2.5 / n) - 1."""
    for voters in (5, 20, 500):
        found = normalised_gain(np.zeros(voters, bool), np.ones(voters, bool))
        assert (found.low, found.high) == (pytest.approx(2 - math.exp(2.5 / voters)), 1)


def test_too_few_have_counts_alone() -> None:
    few = normalised_gain(np.zeros(MIN_VOTERS - 1, bool), np.ones(MIN_VOTERS - 1, bool))
    assert (few.learned, few.gain) == (MIN_VOTERS - 1, 1)
    assert math.isnan(few.low)
    assert math.isnan(few.high)


def test_nothing_to_learn() -> None:
    everybody = np.ones(9, bool)
    found = normalised_gain(everybody, everybody)
    assert all(map(math.isnan, (found.gain, found.low, found.high)))
    assert normalised_gain(np.zeros(0, bool), np.zeros(0, bool)).voters == 0


@pytest.mark.parametrize("gain", [0, 0.5, 0.9, 1])
@pytest.mark.parametrize("voters", [5, 20, 100])
def test_the_interval_holds_the_gain_of_all_voters(voters: int, gain: float) -> None:
    """In .93 of the halls drawn from a population, whoever was right before, or was led astray."""
    for before, astray in (
        (0, 0),
        (0.2, 0),
        (0.2, 0.5),
        (0.5, 0),
        (0.5, 0.2),
        (0.8, 0),
        (0.8, 0.1),
    ):
        lost = before * astray
        learned = gain * (1 - before) + lost
        if learned > 1 - before:
            continue
        shares = [learned, lost, 1 - before - learned, before - lost]
        drawn = RNG.multinomial(voters, np.clip(shares, 0, 1), 4_000)
        halls, number = np.unique(drawn[drawn[:, 0] + drawn[:, 2] > 0], axis=0, return_counts=True)
        low, high = gain_interval(*halls[:, :3].T)
        holds = (low <= gain + 1e-9) & (gain <= high + 1e-9)
        assert number[holds].sum() >= 0.93 * number.sum(), (before, astray)
