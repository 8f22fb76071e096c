"""The map of the token table: which point is where, what the pointer reads, what is highlighted."""

import numpy as np
import pytest

from bertviz_core.figures.colors import SENTENCES
from bertviz_core.views.nearest_neighbors.map_figure import (
    AROUND,
    CELLS,
    HEIGHT,
    LEVELS,
    LINE,
    Cloud,
    by_kind,
    by_number,
    cloud,
    highlights,
    map_figure,
)

# Two in one corner, one in the other, one in the middle.
POINTS = np.float32([[0, 0], [0, 0], [40, 80], [20, 45]])
TOKENS = ["cat", "<b>", "dog", "[unused0]"]


@pytest.fixture
def drawn() -> Cloud:
    return cloud(
        POINTS, TOKENS, by_kind(np.int8([0, 0, 1, 1]), ["word", "piece"]), np.ones(4, bool)
    )


def test_the_pointer_reads_every_token_of_its_cell(drawn: Cloud) -> None:
    assert (drawn.across, drawn.up) == ((-1, 41), (-2, 82))
    assert (len(drawn.names), len(drawn.names[0])) == CELLS[::-1]
    named = {
        (row, column): name
        for row, cells in enumerate(drawn.names)
        for column, name in enumerate(cells)
        if name
    }
    # (0 - -1) / 42 of 144 columns; (0 - -2) / 84 of 72 rows.
    assert named == {
        (1, 3): "cat (0)<br>&lt;b&gt; (1)",
        (40, 72): "[unused0] (3)",
        (70, 140): "dog (2)",
    }
    crowd = cloud(
        np.zeros((9, 2), np.float32), ["a"] * 9, by_number(np.arange(9), "id"), np.ones(9, bool)
    )
    (cell,) = [name for row in crowd.names for name in row if name]
    assert cell.endswith("a (7)<br>and 1 more")


def test_one_picture_under_names_that_cannot_be_seen(drawn: Cloud) -> None:
    colors = by_kind(np.int8([0, 0, 1, 1]), ["word", "piece", "none"])
    figure = map_figure(drawn, colors, ("x", "y"))
    (image,) = figure.layout.images
    assert image.source.startswith("data:image/png")
    names, *kinds = figure.data
    assert {color for _, color in names.colorscale} == {"rgba(0, 0, 0, 0)"}
    assert (names.x0 + 3 * names.dx, names.y0 + names.dy) == pytest.approx((0, 0), abs=0.6)
    assert [kind.name for kind in kinds] == ["word (2)", "piece (2)"]
    assert not {trace.type for trace in figure.data} & {"scattergl"}, "no WebGL"


def test_colours_of_numbers() -> None:
    colors = by_number(np.arange(1001), "id")
    assert colors.scale == ("id", 10, 990)
    assert colors.groups[[0, 10, 500, 1000]].tolist() == [0, 0, LEVELS // 2, LEVELS - 1]
    assert len({look.color for look in colors.looks}) == LEVELS
    points = np.zeros((1001, 2), np.float32)
    drawn = cloud(points, ["a"] * 1001, colors, np.zeros(1001, bool))
    bar = map_figure(drawn, colors, ("x", "y")).data[1]
    assert (bar.marker.cmin, bar.marker.cmax, bar.marker.colorbar.title.text) == (10, 990, "id")


def test_a_token_is_highlighted_with_lines_to_its_neighbours(drawn: Cloud) -> None:
    _, (landmark,) = highlights(POINTS, TOKENS, [], drawn, dark=False)
    assert landmark["text"] == "[unused0]", "alone near the middle of its part of the map"
    shapes, labels = highlights(POINTS, TOKENS, [([0], [2, 3])], drawn, dark=False)  # it makes room
    assert {s["line"]["color"] for s in shapes} == {SENTENCES[1]}
    assert not any("xsizemode" in s for s in shapes), "boxes and lassos would be in pixels"
    assert [entry["xanchor"] for entry in labels] == ["left", "right", "left"]
    # A sum has rows, and no point of its own.
    shapes, _ = highlights(POINTS, TOKENS, [([0, 1], [2])], drawn, dark=True)
    assert shapes == []


def test_labels_of_near_points_are_on_lines_of_their_own(drawn: Cloud) -> None:
    near = np.float32([[20, 40]] * 12)
    _, labels = highlights(near, ["token"] * 12, [([0], list(range(1, 12)))], drawn, dark=False)
    heights = sorted(entry["ay"] for entry in labels)
    assert np.diff(heights).min() >= 0.98 * LINE / (HEIGHT - AROUND) * 84
    assert drawn.up[0] < heights[0] < heights[-1] < drawn.up[1]
