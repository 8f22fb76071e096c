"""The histogram of a percentile scale, as data: the shares that it draws."""

import numpy as np
import pytest

from bertviz_core.figures.colors import TOKEN
from bertviz_core.figures.drawing import Figure
from bertviz_core.views.word_in_context.percentiles import BINS, percentile_scale

EVEN = np.linspace(0, 0.8, 1001, dtype=np.float32)


def scale(quantiles: np.ndarray, mark: float, name: str = "") -> Figure:
    """The quantiles at equal steps."""
    return percentile_scale(quantiles, np.linspace(0, 100, len(quantiles)), mark, name)


def test_shares_of_an_even_spread() -> None:
    figure = scale(EVEN, 0.6)
    (bars,) = figure.data
    assert BINS <= len(bars.x) == len(bars.y) <= BINS + 2
    assert bars.y.sum() == pytest.approx(100, abs=1e-3)
    assert bars.y[:-1] == pytest.approx(100 * bars.width / 0.8, abs=1e-3)
    assert figure.layout.shapes[0].x0 == 0.6
    # What lies below the mark is coloured.
    assert all((x < 0.6) == (c == TOKEN) for x, c in zip(bars.x, bars.marker.color, strict=True))


def test_shares_of_an_uneven_spread() -> None:
    # Half of the pairs lie in the lowest tenth of the range.
    (bars,) = scale(np.float32([0, 0.1, 1]), 0.5).data
    assert bars.y[: BINS // 10].sum() == pytest.approx(50, abs=0.2)
    # Half of them are one and the same number.
    (bars,) = scale(np.float32([0, 0.5, 0.5, 0.5, 1]), 0.5).data
    assert bars.y.sum() == pytest.approx(100, abs=1e-3)
    assert bars.y.max() == pytest.approx(50, abs=2)
    # Unequal steps: a tenth of the pairs below 0.1, the rest spread over 0.1 to 1.
    (bars,) = percentile_scale(np.float32([0, 0.1, 1]), np.array([0.0, 10, 100]), 0.5, "").data
    assert bars.y[: BINS // 10].sum() == pytest.approx(10, abs=0.2)
    (bars,) = scale(np.float32([0.9, 0.9, 0.9]), 0.9).data
    assert bars.y.sum() == pytest.approx(100), "all cosines are equal"


def test_the_axis_holds_the_mark_and_leaves_out_the_last_thousandth() -> None:
    figure = scale(EVEN, -0.5, "<b>snake</b>")
    assert figure.layout.xaxis.range[0] < -0.5
    (note,) = figure.layout.annotations
    assert (note.text, note.xanchor) == (" &lt;b&gt;snake&lt;/b&gt; -0.500 ", "left")
    stray = EVEN.copy()
    stray[-1] = 5.0
    figure = scale(stray, 0.5)
    assert figure.layout.xaxis.range[1] < 0.9
    assert figure.data[0].x.max() > 4.9
