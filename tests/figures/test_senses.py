import numpy as np
import plotly.graph_objects as go
import pytest

from bertviz_core.figures.colors import MUTED, SENTENCES
from bertviz_core.figures.senses import MOST_SERIES, OTHERS, lines_to, occurrence_map

POINTS = np.float32([[0, 1], [2, 3], [-4, 0], [1, 1]])
AXES = ("PC 1", "PC 2")


def test_points_carry_their_place_and_an_escaped_text() -> None:
    figure = occurrence_map(POINTS, ["b", "a", "b", "<i>"], ["w", "x<b>", "y", "z"], axes=AXES)
    odd, a, b = figure.data
    assert (odd.name, a.name, b.name) == ("&lt;i&gt;", "a", "b")
    assert a.customdata[0][1] == "x&lt;b&gt;"
    assert len({trace.marker.color for trace in figure.data}) == 3
    assert len({trace.marker.symbol for trace in figure.data}) == 3
    assert figure.layout.yaxis.scaleanchor == "x"
    with pytest.raises(ValueError, match=r"shape \(4, 2\), series \(3,\), texts \(4,\)"):
        occurrence_map(POINTS, ["a"] * 3, ["t"] * 4, axes=AXES)


def test_a_shared_extent_keeps_the_scale() -> None:
    extent = np.float32([[-10, -10], [10, 10]])
    ranges = {
        occurrence_map(POINTS * size, ["a"] * 4, ["t"] * 4, axes=AXES, extent=extent)
        .layout.xaxis.range
        for size in (0.1, 1, 2)
    }  # fmt: skip
    assert len(ranges) == 1
    own = occurrence_map(POINTS, ["a"] * 4, ["t"] * 4, axes=AXES).layout.xaxis.range
    assert own[0] < -4
    assert own[1] > 2


def test_many_series_share_a_grey_mark() -> None:
    count = 20
    series = [f"s{i:02}" for i in range(count)] + ["s03"]
    points = np.zeros((count + 1, 2), np.float32)
    figure = occurrence_map(points, series, [""] * len(series), axes=AXES)
    assert len(figure.data) == MOST_SERIES + 1
    assert figure.data[-1].name == OTHERS
    assert figure.data[-1].marker.color == MUTED
    assert sum(len(trace.x) for trace in figure.data) == count + 1
    marks = {(trace.marker.color, trace.marker.symbol) for trace in figure.data}
    assert len(marks) == MOST_SERIES + 1
    assert {trace.marker.color for trace in figure.data} == {*SENTENCES, MUTED}


def test_a_map_is_drawn_once() -> None:
    """It keeps its own room: with Plotly's automatic margins all points would be drawn twice."""
    chance = np.random.default_rng(0)
    rooms = {}
    for count, kinds in ((200, 2), (201, 2), (201, 12)):
        points = chance.normal(size=(count, 2)).astype(np.float32)
        series = [f"a sense of its own {place % kinds}" for place in range(count)]
        figure = occurrence_map(points, series, ["text"] * count, axes=("PC 1", "PC 2"))
        assert figure.layout.margin.autoexpand is False
        assert figure.layout.xaxis.automargin is figure.layout.yaxis.automargin is False
        assert (figure.data[0].marker.line.width > 0) == (count <= 200)
        rooms[count, kinds] = figure.layout.margin.b
        assert figure.layout.height - figure.layout.margin.b == figure.layout.margin.t + 420
    assert rooms[200, 2] == rooms[201, 2] < rooms[201, 12]


def test_lines_lead_from_one_point_to_others() -> None:
    near, far = lines_to(POINTS, 1, [0, 2], np.array([True, False]))
    assert [near[end] for end in ("x0", "y0", "x1", "y1")] == [2, 3, 0, 1]
    assert [far[end] for end in ("x0", "y0", "x1", "y1")] == [2, 3, -4, 0]
    assert (near["line"].get("dash"), far["line"]["dash"]) == (None, "dot")
    assert near["line"]["color"] not in {*SENTENCES, MUTED, far["line"]["color"]}
    go.Layout(shapes=[near, far])  # names that Plotly knows
