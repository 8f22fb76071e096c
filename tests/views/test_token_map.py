"""The map of the token table: which point is where, what the pointer reads, what is highlighted."""

import numpy as np
import pytest

from bertviz_core.figures.colors import MARK
from bertviz_core.views.nearest_neighbors.map_figure import (
    CELLS,
    Cloud,
    Found,
    cloud,
    highlights,
)

# Two in one corner, one in the other, one in the middle.
POINTS = np.float32([[0, 0], [0, 0], [40, 80], [20, 45]])
TOKENS = ["cat", "<b>", "dog", "[unused0]"]


@pytest.fixture
def drawn() -> Cloud:
    return cloud(POINTS, TOKENS, np.int8([0, 0, 1, 1]))


def test_the_pointer_reads_every_token_of_its_cell(drawn: Cloud) -> None:
    assert (drawn.across, drawn.up) == ((-24, 64), (-4, 84)), "a square"
    assert (len(drawn.names), len(drawn.names[0])) == (CELLS, CELLS)
    named = {
        (row, column): name
        for row, cells in enumerate(drawn.names)
        for column, name in enumerate(cells)
        if name
    }
    # (0 - -24) / 88 of 100 columns; (0 - -4) / 88 of 100 rows.
    assert named == {
        (4, 27): "cat, &lt;b&gt;",
        (55, 50): "[unused0]",
        (95, 72): "dog",
    }
    crowd = cloud(np.zeros((9, 2), np.float32), ["a"] * 9, np.zeros(9, np.int8))
    (cell,) = [name for row in crowd.names for name in row if name]
    assert cell == "a, a, a, a, a and 4 more"


def test_the_whole_map_or_what_is_around_a_search() -> None:
    grid = np.mgrid[0:40, 0:40].reshape(2, -1).T.astype(np.float32)
    tokens = [f"t{row}" for row in range(len(grid))]
    drawn = cloud(grid, tokens, np.zeros(len(grid), np.int8))
    own, near, far = 820, 821, 0
    given = highlights(grid, tokens, [Found([own], [near, far])], drawn)
    (menu,) = given["layout"]["updatemenus"]
    around, lines, pointed = given["data"]
    assert [button["label"] for button in menu["buttons"]] == [
        "Whole map",
        f'<span style="color:{MARK}">●</span> t820',
    ]
    assert lines["x"] == [20, 20, None, 20, 0, None]
    assert lines["y"] == [20, 21, None, 20, 0, None]
    assert pointed["hovertext"] == ["t821 (821)", "t0 (0)", "t820 (820)"]
    assert pointed["text"] == ["", "", "t820"]
    (seen, whole, traces), (zoomed_seen, zoomed, _) = (b["args"] for b in menu["buttons"])
    assert traces == [2, 3, 4], "behind the picture's names and its legend"
    assert (seen["visible"], zoomed_seen["visible"]) == ([False, True, True], [True, True, True])
    assert whole["xaxis.range"] == list(drawn.across)
    assert (whole["images[0].visible"], zoomed["images[0].visible"]) == (True, False)
    (x0, x1), (y0, y1) = zoomed["xaxis.range"], zoomed["yaxis.range"]
    assert (x0 + x1, y0 + y1) == (40, 40), "its point is in the middle"
    assert ((np.array(around["x"]) > x0) & (np.array(around["x"]) < x1)).all()
    assert len(around["x"]) >= 100

    # Without a search, the map alone; a sum has no point, and so no lines.
    assert not highlights(grid, tokens, [], drawn)["data"]
    of_sum = highlights(grid, tokens, [Found([1, 2], [near])], drawn)
    assert (of_sum["data"][1]["x"], Found([1, 2], [near]).middle) == ([], near)
