import numpy as np
import pytest

from bertviz_core.figures.calibration import BINS, HEIGHT, anisotropy_curve, percentile_scale
from bertviz_core.figures.colors import TOKEN
from bertviz_core.figures.drawing import Figure

EVEN = np.linspace(0, 0.8, 1001, dtype=np.float32)


def scale(quantiles: np.ndarray, mark: float, name: str = "") -> Figure:
    """The quantiles at equal steps."""
    return percentile_scale(quantiles, np.linspace(0, 100, len(quantiles)), mark, name)


def test_scale_holds_the_shares() -> None:
    figure = scale(EVEN, 0.6)
    (bars,) = figure.data
    assert BINS <= len(bars.x) == len(bars.y) <= BINS + 2
    assert bars.y.sum() == pytest.approx(100, abs=1e-3)
    assert bars.y[:-1] == pytest.approx(100 * bars.width / 0.8, abs=1e-3)  # an even spread
    assert figure.layout.height == HEIGHT == 120
    (line,) = figure.layout.shapes
    assert line.x0 == line.x1 == 0.6
    assert [note.text for note in figure.layout.annotations] == [" 0.600 "]
    # What lies below the mark is coloured.
    assert bars.marker.color.count(TOKEN) == pytest.approx(0.75 * BINS, abs=1)
    assert all((x < 0.6) == (c == TOKEN) for x, c in zip(bars.x, bars.marker.color, strict=True))


def test_scale_shares_of_an_uneven_spread() -> None:
    # Half of the pairs lie in the lowest tenth of the range.
    uneven = np.float32([0, 0.1, 1])
    (bars,) = scale(uneven, 0.5).data
    assert bars.y[: BINS // 10].sum() == pytest.approx(50, abs=0.2)
    stepped = np.float32([0, 0.5, 0.5, 0.5, 1])  # half of them are one and the same number
    (bars,) = scale(stepped, 0.5).data
    assert bars.y.sum() == pytest.approx(100, abs=1e-3)
    assert bars.y.max() == pytest.approx(50, abs=2)
    # Unequal steps: a tenth of the pairs below 0.1, the rest spread over 0.1 to 1.
    figure = percentile_scale(np.float32([0, 0.1, 1]), np.array([0.0, 10, 100]), 0.5, "")
    (bars,) = figure.data
    assert bars.y[: BINS // 10].sum() == pytest.approx(10, abs=0.2)
    assert bars.y.sum() == pytest.approx(100, abs=1e-3)


def test_marks_outside_and_their_names() -> None:
    figure = scale(EVEN, -0.5, "<b>snake</b>")
    assert figure.layout.xaxis.range[0] < -0.5
    (note,) = figure.layout.annotations
    assert (note.text, note.xanchor) == (" &lt;b&gt;snake&lt;/b&gt; -0.500 ", "left")
    figure = scale(EVEN, 1.0, "code")
    assert figure.layout.xaxis.range[1] > 1
    (note,) = figure.layout.annotations
    assert (note.text, note.xanchor) == (" code 1.000 ", "right")


def test_the_axis_leaves_out_the_last_thousandth() -> None:
    stray = EVEN.copy()
    stray[-1] = 5.0
    figure = scale(stray, 0.5)
    (bars,) = figure.data
    assert figure.layout.xaxis.range[1] < 0.9
    assert bars.y.sum() == pytest.approx(100, abs=1e-3)
    assert bars.x.max() > 4.9


def test_all_cosines_equal() -> None:
    figure = scale(np.float32([0.9, 0.9, 0.9]), 0.9)
    assert figure.data[0].y.sum() == pytest.approx(100)
    low, high = figure.layout.xaxis.range
    assert low < 0.9 < high
    with pytest.raises(ValueError, match=r"shape \(1,\), expected"):
        scale(np.float32([1]), 0.5)


def test_anisotropy_curve() -> None:
    means, centred = np.float32([0.1, 0.3, 0.5]), np.float32([0, -0.01, 0.01])
    ends = np.float32([-0.06, 0.04, 0.14]), np.float32([0.66, 0.76, 0.86])
    figure = anisotropy_curve(means, centred, *ends, layer=2)
    spread, raw, without_mean = figure.data
    high, low = spread.y[:3], spread.y[:2:-1]
    assert low == pytest.approx(ends[0])
    assert high == pytest.approx(ends[1])
    assert np.array_equal(without_mean.y, centred)
    assert raw.line.dash != without_mean.line.dash
    assert figure.layout.shapes[0].x0 == 2
    assert not anisotropy_curve(means, centred, *ends).layout.shapes
    with pytest.raises(ValueError, match=r"\[\(2,\), \(3,\)\], expected one"):
        anisotropy_curve(means[:2], centred, *ends)
