"""Percentiles by hand."""

import numpy as np
import pytest

from bertviz_core.calibration import Baseline, percentiles
from bertviz_core.calibration.percentiles import (
    column,
    hints,
    in_words,
)


def by_hand(quantiles: list[float], monkeypatch: pytest.MonkeyPatch) -> Baseline:
    """One layer, with as many percents as there are quantiles."""
    monkeypatch.setattr(percentiles, "PERCENTS", np.linspace(0, 100, len(quantiles)))
    rows = np.float32([quantiles])
    return Baseline("pairs", 1234, rows, rows[:, 0])


@pytest.fixture
def even(monkeypatch: pytest.MonkeyPatch) -> Baseline:
    return by_hand(np.linspace(0, 1, 1001).tolist(), monkeypatch)


def test_percentile_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = by_hand([0, 0.25, 0.5, 0.5, 1], monkeypatch)
    cosines = [-0.1, 0, 0.125, 0.25, 0.375, 0.5, 0.75, 1, 1.5]
    # Quantiles 2 and 3 of 4 are equal: the middle of both.
    wanted = [0, 0, 12.5, 25, 37.5, 62.5, 87.5, 100, 100]
    assert [scale.percentile(cosine) for cosine in cosines] == wanted
    assert scale.exceeded(25).tolist() == [0.25]
    assert np.isnan(scale.percentile(float("nan")))


@pytest.mark.parametrize(
    ("cosine", "words"),
    [
        (0.715, "higher than 71% of pairs"),
        (1.0, "higher than all measured pairs"),
        (-0.3, "lower than all measured pairs"),
    ],
)
def test_in_words(even: Baseline, cosine: float, words: str) -> None:
    assert in_words(even, cosine) == words
    assert in_words(None, cosine) == ""


def test_one_rounding_in_words_tables_and_under_the_pointer() -> None:
    """No decimals in the middle of the scale, and none is rounded up to 100 or down to 0."""
    exact = np.array([0, 0.01, 0.46, 4.56, 70.9, 99.97, 100, np.nan])
    shown = column(exact)
    assert shown.values == [0, 0.1, 0.4, 4, 70, 99.9, 100, None]
    assert shown.decimals is None
    assert hints(exact.reshape(2, 4), "pairs")[1, [0, 2, 3]].tolist() == [
        *("higher than 70% of pairs", "higher than all measured pairs", ""),
    ]
