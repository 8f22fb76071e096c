"""Percentiles by hand."""

from statistics import NormalDist

import numpy as np
import pytest

from bertviz_core.calibration import Calibration, Scales
from bertviz_core.calibration.percentiles import (
    after,
    column,
    hints,
    in_words,
    interval,
    percent,
    percentiles_among,
)


def by_hand(quantiles: list[float]) -> Calibration:
    """One layer; its centred cosines are lower by 1."""
    rows = np.float32([quantiles])
    percents = np.linspace(0, 100, len(quantiles))
    errors = np.float32([[0.05, 0.2, 1, 3, 1, 0.2, 0.05]])
    return Calibration(
        *(2, 4, 1234, rows, rows - 1, rows[:, 0], rows[:, 0], "such pairs"),
        *(errors, errors / 2, percents),
    )


EVEN = by_hand(np.linspace(0, 1, 1001).tolist())


def test_percentile_by_hand() -> None:
    scale = by_hand([0, 0.25, 0.5, 0.5, 1])
    cosines = [-0.1, 0, 0.125, 0.25, 0.375, 0.5, 0.75, 1, 1.5]
    # Quantiles 2 and 3 of 4 are equal: the middle of both.
    wanted = [0, 0, 12.5, 25, 37.5, 62.5, 87.5, 100, 100]
    assert [scale.percentile(cosine) for cosine in cosines] == wanted
    assert scale.percentiles(np.float32([cosines])).tolist() == [wanted]
    assert scale.percentile(-0.75, centred=True) == 25
    assert np.isnan(scale.percentile(float("nan")))


def test_interval_by_hand() -> None:
    scale = by_hand([0, 1])
    # In standard deviations of a normal distribution, whose height at 50% is 0.3989.
    assert scale.interval(50).tolist() == pytest.approx(
        [100 * NormalDist().cdf(side * 1.96 * 0.03 / 0.39894) for side in (-1, 1)], abs=1e-3
    )
    assert scale.interval(99).tolist() == pytest.approx([98.534, 99.331], abs=1e-3)
    low, high = scale.interval(99.9)
    assert (low, high) == pytest.approx((99.744, 99.964), abs=1e-3)
    # Nothing finer was measured, so the interval is that of 99.9 up to the end.
    assert scale.interval(99.95).tolist() == [low, 100]
    assert scale.interval(0).tolist() == pytest.approx([0, 100 - low])


def test_percentiles_among_the_pairs_of_some_vectors() -> None:
    angles = np.deg2rad([0, 10, 30, 70])  # apart: 10, 20, 30, 40, 60 and 70 degrees
    vectors = np.float32([[np.cos(a), np.sin(a)] for a in angles])
    cosines = np.cos(np.deg2rad(np.float32([5, 10, 35, 60, 80])))
    percentiles, pairs = percentiles_among(vectors, cosines)
    assert pairs == 6
    assert percentiles == pytest.approx(np.array([6, 5.5, 3, 1.5, 0]) / 6 * 100)
    assert percentiles_among(np.tile(vectors, (10, 1)), cosines, most=20)[1] == 190


def test_centred_cosine_by_hand() -> None:
    scale = Scales("by hand", 2, np.float32([[1, 0]]), {})
    a, b, mean = np.float32([2, 1]), np.float32([0, 1]), np.float32([1, 0])
    found = scale.centred_cosines(a[None], np.stack([b, a, mean]))
    assert found == pytest.approx(np.array([[0, 1, 0]]))  # (1, 1) with (-1, 1), (1, 1), (0, 0)


@pytest.mark.parametrize(
    ("cosine", "words"),
    [
        (0.715, "higher than 71% of such pairs"),
        (1.0, "higher than all 1,234 such pairs measured"),
        (-0.3, "lower than all 1,234 such pairs measured"),
    ],
)
def test_in_words(cosine: float, words: str) -> None:
    assert in_words(EVEN, cosine) == words
    assert after(EVEN, cosine) == f", {words}"
    assert in_words(None, cosine) == after(None, cosine) == interval(None, cosine) == ""


def test_in_other_words() -> None:
    assert in_words(EVEN, -0.395, centred=True) == "higher than 60% of such pairs"
    assert interval(EVEN, 0.505) == "44% to 57%"
    assert interval(EVEN, 0.9995) == "99.7% to 100%"


def test_one_rounding_in_words_tables_and_under_the_pointer() -> None:
    """No decimals in the middle of the scale, and none is rounded up to 100 or down to 0."""
    exact = np.array([0, 0.01, 0.46, 4.56, 70.9, 99.97, 100, np.nan])
    shown = column(exact)
    assert shown.values == [0, 0.1, 0.4, 4, 70, 99.9, 100, None]
    assert shown.decimals is None
    assert [percent(value) for value in exact[:-1]] == [f"{value:g}" for value in shown.values[:-1]]
    assert hints(exact.reshape(2, 4))[1, [0, 2, 3]].tolist() == [
        *("higher than 70% of such pairs", "higher than all of such pairs", ""),
    ]
