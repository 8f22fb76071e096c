"""Percentiles in words, in tables and under the pointer: one rounding."""

import numpy as np
import pytest

from bertviz_core.calibration import Calibration
from bertviz_core.calibration.percentiles import (
    after,
    column,
    columns_with_centred,
    cosine_columns,
    hints,
    in_words,
    interval,
    percent,
)


def scale() -> Calibration:
    """One layer, whose cosines are spread evenly over 0 to 1, and centred over 0 to 0.5."""
    percents, errors = np.linspace(0, 100, 1001), np.float32([[0.05, 0.2, 1, 3, 1, 0.2, 0.05]])
    rows = (percents / 100).astype(np.float32)[None]
    return Calibration(
        *("x", 10, 10, 1234, rows, rows / 2, rows[:, 0], rows[:, 0], "such pairs"),
        *(errors, errors, percents),
    )


@pytest.mark.parametrize(
    ("cosine", "words"),
    [
        (0.715, "higher than 71% of such pairs"),
        (0.99989, "higher than 99.9% of such pairs"),
        (0.0042, "higher than 0.4% of such pairs"),
        (0.00001, "higher than 0.1% of such pairs"),
        (1.0, "higher than all 1,234 such pairs measured"),
        (-0.3, "lower than all 1,234 such pairs measured"),
    ],
)
def test_in_words(cosine: float, words: str) -> None:
    assert in_words(scale(), cosine) == words
    assert after(scale(), cosine) == f", {words}"
    assert in_words(None, cosine) == after(None, cosine) == ""


def test_in_other_words() -> None:
    assert in_words(scale(), 0.3, centred=True) == "higher than 60% of such pairs"
    assert interval(scale(), 0.505) == "44% to 57%"
    assert interval(scale(), 0.99) == "98% to 99.4%"
    assert interval(scale(), 0.9995) == "99.7% to 100%"
    assert interval(None, 0.5) == ""


def test_one_rounding_in_words_tables_and_under_the_pointer() -> None:
    """No decimals in the middle of the scale, and none is rounded up to 100 or down to 0."""
    exact = np.array([0, 0.01, 0.46, 4.56, 70.9, 99.97, 100, np.nan])
    shown = column(exact)
    assert shown.values == [0, 0.1, 0.4, 4, 70, 99.9, 100, None]
    assert shown.decimals is None
    assert [percent(value) for value in exact[:-1]] == [f"{value:g}" for value in shown.values[:-1]]
    pointed = hints(exact.reshape(2, 4))
    assert pointed.shape == (2, 4)
    assert pointed[1].tolist() == [
        *("higher than 70% of such pairs", "higher than 99.9% of such pairs"),
        *("higher than all of such pairs", ""),
    ]


def test_columns_beside_a_cosine() -> None:
    cosines, centred = np.array([0.3, 0.7]), np.array([0.1, 0.2])
    assert list(cosine_columns("to x", cosines, None)) == ["to x"]
    assert list(cosine_columns("to x", cosines, cosines)) == ["to x", "to x, percentile"]
    assert list(cosine_columns("to x", cosines, np.full(2, np.nan))) == ["to x"]
    both = columns_with_centred("cosine", cosines, centred, None)
    assert list(both) == ["cosine", "mean-centred"]
    assert list(columns_with_centred("cosine", cosines, None, scale())) == ["cosine", "percentile"]
    columns = columns_with_centred("cosine", cosines, centred, scale())
    assert columns["percentile"].values == [30, 70]
    assert columns["mean-centred"] is centred
    assert columns["mean-centred, percentile"].values == [20, 40]
