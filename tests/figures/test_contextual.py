"""The curves of similarities over the layers, as data."""

import numpy as np
import pytest

from bertviz_core.figures.similarity import Panel, similarity_curves


def test_curves_share_their_axes_and_differ_in_colour_and_line() -> None:
    upper = np.float32([[1, 0.5, 0.2], [1, 0.6, 0.2]])
    lower = np.float32([[-0.5, 0, 0.1]])
    panels = [Panel("to <a>", ["one", "<two>"], upper), Panel("to b", ["one"], lower)]
    figure = similarity_curves(panels, layer=2)
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
    assert [note.text for note in layout.annotations] == ["<b>to &lt;a&gt;</b>", "<b>to b</b>"]
    assert [trace.showlegend for trace in figure.data] == [True, True, False], "a curve alone"
    assert (second.name, second.legend, third.legend) == ("&lt;two&gt;", "legend", "legend2")
    assert [layout.legend.y, layout.legend2.y] == [layout.yaxis.domain[1], layout.yaxis2.domain[1]]
