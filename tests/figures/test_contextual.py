"""The figures of the closer looks at a word in context, as data."""

import numpy as np
import pytest

from bertviz_core.figures.contextual.attention import attention_bars, head_map
from bertviz_core.figures.contextual.comparisons import (
    correlation_curve,
    model_scatter,
    pooling_dots,
)
from bertviz_core.figures.contextual.influence import influence_bars, influence_map
from bertviz_core.figures.contextual.layers import lens_grid, rank_curve, token_layers
from bertviz_core.figures.contextual.similarity import (
    Panel,
    similarity_curves,
    similarity_matrix_heatmap,
)


def test_influence_bars() -> None:
    changes = np.float32([-0.2, np.nan, 0.1])
    figure = influence_bars(changes, ["<b>my", "python", "now"], 1, ["a", "", "c"])
    bars = figure.data[0]
    assert bars.text == ("-0.200", "", "+0.100")
    assert bars.marker.color[0] != bars.marker.color[2]
    assert figure.layout.xaxis.ticktext == ("&lt;b&gt;my", "<b>python</b>", "now")
    assert figure.layout.yaxis.range == pytest.approx((-0.25, 0.25))
    assert bars.customdata[0].endswith("<br>-0.2000<br>a")


def test_influence_bars_of_nothing_and_of_many() -> None:
    flat = influence_bars(np.zeros(2, np.float32), ["a", "b"], 0)
    assert flat.layout.yaxis.range[1] > 0
    changes = np.zeros(50, np.float32)
    changes[[20, 21, 40]] = 0.5, -0.9, 0.1
    many = influence_bars(changes, [f"w{i}" for i in range(50)], 7)
    named = many.layout.xaxis.tickvals
    assert len(named) <= 26
    assert min(np.diff(named)) == 2
    assert {7, 21, 40} <= set(named), "the strongest are named, and the followed one"
    assert 20 not in named, "it would print over its stronger neighbour"
    assert set(many.data[0].text) == {""}
    with pytest.raises(ValueError, match=r"changes have shape \(2,\), words \(3,\)"):
        influence_bars(np.zeros(2, np.float32), ["a", "b", "c"], 0)
    with pytest.raises(ValueError, match="word 2 of 2"):
        influence_bars(np.zeros(2, np.float32), ["a", "b"], 2)


def test_influence_map() -> None:
    changes = np.float32([[0, np.nan], [-0.3, np.nan], [0.1, np.nan]])
    figure = influence_map(changes, ["pet", "python"], 1, layer=2)
    heatmap = figure.data[0]
    assert heatmap.zmin == pytest.approx(-0.3)
    assert heatmap.zmax == pytest.approx(0.3)
    with pytest.raises(ValueError, match="words"):
        influence_map(changes, ["pet"], 0, layer=0)


def test_attention_bars() -> None:
    figure = attention_bars(np.float32([0.6, 0.3, 0.1]), ["[CLS]", "<b>", "[SEP]"], [1], [0, 2])
    bars = figure.data[0]
    assert len(set(bars.marker.color)) == 2
    assert bars.marker.color[0] == bars.marker.color[2]
    assert figure.layout.xaxis.ticktext == ("[CLS]", "<b>&lt;b&gt;</b>", "[SEP]")
    assert bars.customdata[1] == "1 &lt;b&gt;"
    with pytest.raises(ValueError, match=r"weights have shape \(2,\), tokens \(1,\)"):
        attention_bars(np.zeros(2, np.float32), ["a"], [], [])


def test_head_map() -> None:
    values = np.array([[0.2, 0.5, 0.1], [-0.4, np.nan, 0.3]])
    shares = head_map(values, "share", layer=2, head=3).data[0]
    assert (shares.zmin, shares.zmax) == (0, 0.5)
    assert (shares.x.tolist(), shares.y.tolist()) == ([1, 2, 3], [1, 2])
    figure = head_map(values, "rank correlation", layer=2, head=3, signed=True)
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)
    frame = figure.layout.shapes[0]
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (2.5, 3.5, 1.5, 2.5)
    with pytest.raises(ValueError, match="head 3-1 of 2 layers with 3 heads"):
        head_map(values, "share", layer=3, head=1)


def test_lens_grid() -> None:
    tokens = [["python", "<i>"], ["snake", "python"]]
    figure = lens_grid(np.float32([[0.9, 0.1], [0.5, 0.4]]), tokens, ["python"], layer=1)
    heatmap = figure.data[0]
    assert heatmap.text == (["<b>python</b>", "&lt;i&gt;"], ["snake", "<b>python</b>"])
    assert heatmap.x.tolist() == [1, 2]
    assert heatmap.colorscale == "Viridis"
    with pytest.raises(ValueError, match=r"shape \(1, 2\), tokens \(2, 2\)"):
        lens_grid(np.float32([[0.9, 0.1]]), tokens, [], layer=0)


def test_rank_curve() -> None:
    figure = rank_curve(np.array([1, 20, 3000]), 30_000, layer=1)
    low, high = figure.layout.yaxis.range
    assert low > np.log10(3000) > high, "rank 1 stands on top"
    with pytest.raises(ValueError, match="1 to 10"):
        rank_curve(np.array([11]), 10, layer=0)


def test_token_layers() -> None:
    values = np.float32([[0.1, 0.9], [0.2, 0.8]])
    figure = token_layers(values, ["dog (1, 2)", "dog (1, 2)"], layer=1, hints=["<x", "y"])
    assert figure.data[0].customdata[0] == ["&lt;x", "&lt;x"]
    with pytest.raises(ValueError, match=r"shape \(2, 2\), names \(1,\)"):
        token_layers(values, ["one"], layer=0)


def test_pooling_dots() -> None:
    values = np.float32([[0.1, 0.5], [0.3, 0.5]])
    figure = pooling_dots(values, ["mean", "max"], ["a – b", "a – c"])
    line, mean, most = figure.data
    assert line.x[:2] == pytest.approx([0.1, 0.3])
    assert np.isnan(line.x[2])
    assert line.y.tolist() == [0, 0, 0, 1, 1, 1]
    assert mean.x.tolist() == pytest.approx([0.1, 0.5])
    assert mean.marker.symbol != most.marker.symbol
    with pytest.raises(ValueError, match=r"shape \(2, 2\), names \(1, 2\)"):
        pooling_dots(values, ["mean"], ["a", "b"])


def test_model_scatter() -> None:
    figure = model_scatter(np.float32([0.1, 0.9]), np.float32([0.2, 0.4]), ["<a>", "b"], ("x", "y"))
    assert figure.data[0].textposition == ("top right", "top left")
    assert figure.layout.xaxis.range == pytest.approx((0.02, 0.98), abs=1e-6)
    many = model_scatter(np.ones(13, np.float32), np.ones(13, np.float32), ["n"] * 13, ("x", "y"))
    assert many.data[0].mode == "markers"
    with pytest.raises(ValueError, match=r"names \(1,\)"):
        model_scatter(np.float32([0.1, 0.9]), np.float32([0.2, 0.4]), ["a"], ("x", "y"))


def test_correlation_curve() -> None:
    layers = np.array([[0, 0], [1, 2]])
    figure = correlation_curve(np.array([np.nan, 0.5]), layers, layer=1)
    assert figure.data[0].customdata.tolist() == [0, 2]
    assert figure.layout.yaxis.range == (-1.05, 1.05)
    with pytest.raises(ValueError, match="layers"):
        correlation_curve(np.array([0.5]), layers, layer=0)


def test_hints_under_the_pointer() -> None:
    values = np.float32([[0.5, 0.2], [0.2, 0.4]])
    hints = np.array([["higher than 90%", ""], ["", "lower than all"]])
    curves = similarity_curves([Panel("p", ["a", "b"], values, hints)], layer=0)
    assert curves.data[1].customdata.tolist() == ["", "lower than all"]
    assert "%{customdata}" in curves.data[0].hovertemplate
    without = similarity_curves([Panel("p", ["a", "b"], values)], layer=0)
    assert "customdata" not in without.data[0].hovertemplate
    with pytest.raises(ValueError, match=r"hints \(1, 2\)"):
        similarity_curves([Panel("p", ["a", "b"], values, hints[:1])], layer=0)
    with pytest.raises(ValueError, match=r"hints \(1, 2\)"):
        similarity_matrix_heatmap(values, ["a", "b"], title="t", hints=hints[:1])


def test_curves_share_their_axes_and_differ_in_colour_and_line() -> None:
    upper = np.float32([[1, 0.5, 0.2], [1, 0.6, 0.2]])
    lower = np.float32([[-0.5, 0, 0.1]])
    panels = [Panel("to <a>", ["one", "<two>"], upper), Panel("to b", ["one"], lower)]
    figure = similarity_curves(panels, layer=2, each=100)
    first, second, third = figure.data
    assert second.y.tolist() == pytest.approx([1, 0.6, 0.2])
    assert first.line.color != second.line.color
    assert first.line.dash != second.line.dash
    assert (first.yaxis, third.yaxis) == ("y", "y2")
    layout = figure.layout
    assert layout.yaxis.range == layout.yaxis2.range
    assert layout.yaxis.range[0] < -0.5 < 1 < layout.yaxis.range[1]
    assert layout.yaxis.domain[0] > layout.yaxis2.domain[1], "panel below panel"
    assert layout.shapes[0].x0 == 2
    texts = [note.text for note in layout.annotations]
    assert texts == ["<b>to &lt;a&gt;</b>", "one", "&lt;two&gt;", "<b>to b</b>"]
    ends = [note.yshift for note in layout.annotations[1:3]]
    assert abs(ends[0] - ends[1]) >= 14, "labels of equal ends stand apart"
    with pytest.raises(ValueError, match=r"\(2, 3\), names \(1,\)"):
        similarity_curves([Panel("p", ["one"], upper)], layer=0)


def test_many_curves_are_grey_and_without_labels() -> None:
    names = [f"word {i}" for i in range(8)]
    curves = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
    figure = similarity_curves([Panel("p", names, curves)], layer=0, height=400)
    assert len({trace.line.color for trace in figure.data}) == 7
    assert figure.data[6].line.color == figure.data[7].line.color
    assert len(figure.layout.annotations) == 7
    assert figure.layout.height == 400


def test_matrix_keeps_equal_names_apart() -> None:
    values = np.float32([[1, 0.2], [0.2, 1]])
    figure = similarity_matrix_heatmap(values, ["python", "python"], title="all")
    (heatmap,) = figure.data
    assert heatmap.x is None
    assert figure.layout.xaxis.tickvals == (0, 1)
    assert (heatmap.zmin, heatmap.zmax) == (pytest.approx(0.2), 1.0)
    with pytest.raises(ValueError, match=r"\(2, 2\), names make \(3, 3\)"):
        similarity_matrix_heatmap(values, ["a", "b", "c"], title="t")
