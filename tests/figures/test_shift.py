import numpy as np
import pytest

from bertviz_core.figures.shift import ShiftCurve, shift_by_layer

LAYERS = (0, 6, 12)
VALUES = np.array([0.1, 0.2, 0.3])


def curve(name: str = "average", values: np.ndarray = VALUES) -> ShiftCurve:
    return ShiftCurve(
        name, values, (values - 0.05, values + 0.05), (VALUES - 0.1, np.full(3, 0.15))
    )


def test_each_panel_has_chance_interval_and_curve() -> None:
    figure = shift_by_layer((curve(), curve("prototype", VALUES + 1)), LAYERS, layer=6)
    assert [trace.name for trace in figure.data] == [
        *("95% interval", "groups made at random", "measured (full: above random groups)")
    ] * 2
    assert [trace.yaxis for trace in figure.data] == ["y"] * 3 + ["y2"] * 3
    assert [trace.showlegend for trace in figure.data] == [True] * 3 + [False] * 3
    interval, chance, measured, *_ = figure.data
    assert list(measured.x) == [0, 6, 12]
    assert measured.y == pytest.approx(VALUES)
    assert interval.y == pytest.approx([0.15, 0.25, 0.35, 0.25, 0.15, 0.05])
    assert chance.y == pytest.approx([0.15] * 3 + [0.2, 0.1, 0])
    assert measured.customdata[1] == pytest.approx([0.15, 0.25, 0.1, 0.15])
    assert figure.data[5].y == pytest.approx(VALUES + 1)
    assert list(measured.marker.symbol) == ["circle-open", "circle", "circle"]
    assert figure.layout.shapes[0].x0 == 6
    assert [title.text for title in figure.layout.annotations] == [
        *("<b>average</b>", "<b>prototype</b>")
    ]
    low, high = figure.layout.yaxis.range
    assert low < 0
    assert high > 0.35


def test_an_infinite_measure_leaves_a_gap() -> None:
    infinite = np.array([1.1, np.inf, 1.3])
    figure = shift_by_layer((curve(), curve("prototype", infinite)), LAYERS, layer=0)
    interval, _, measured = figure.data[3:]
    assert np.isnan(measured.y[1])
    assert list(interval.x) == [0, 12, 12, 0]
    assert figure.layout.yaxis2.range[1] < 2
    nothing = np.full(3, np.inf)
    empty = ShiftCurve("prototype", nothing, (nothing, nothing), (nothing, nothing))
    assert list(shift_by_layer((curve(), empty), LAYERS, layer=0).layout.yaxis2.range) == [0, 1]


def test_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match=r"average has shape \(3,\), layers \(2,\)"):
        shift_by_layer((curve(), curve()), (0, 6), layer=0)
    with pytest.raises(ValueError, match=r"layer 3 is none of \[0, 6, 12\]"):
        shift_by_layer((curve(), curve()), LAYERS, layer=3)
