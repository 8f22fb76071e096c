"""What is drawn on Nearest Neighbors: scores beside those of others, and the map."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import column
from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.encoder import Encoder
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.neighbors.layout import known_layout
from bertviz_core.neighbors.token_map import nearest_on_map, rows_within
from bertviz_core.views.nearest_neighbors.association import TESTS, association
from bertviz_core.views.nearest_neighbors.map_figure import CELLS, Found, cloud, highlights
from bertviz_core.views.nearest_neighbors.nearest_rows import Search, neighbors
from bertviz_core.views.nearest_neighbors.token_map import token_map
from bertviz_core.views.nearest_neighbors.words_on_axis import AXES, words_on_axis
from bertviz_core.views.view import Overlay
from tests.views.reading import sent
from tests.views.test_programs import compare_programs


def test_a_score_among_those_of_other_tokens(
    minilm: Bert, nearest_of_others: NearestScores
) -> None:
    view = neighbors(minilm, Search(("python",), k=30), nearest_of_others)
    found, frame = nearest_tokens(minilm, "python", 30), view.to_frame()
    assert frame["token"].tolist() == ["python", *found.tokens]
    assert frame["part of the query"].tolist() == ["left out", *[""] * 30]
    assert frame["cosine similarity"][1:].tolist() == pytest.approx(found.scores)
    shown = np.array(column(nearest_of_others.percentiles(found)).values)
    assert frame["percentile"][1:].tolist() == pytest.approx(shown)
    assert view.values["closer"] == f"{100 - shown[0]:g}%"


def test_side_by_side_a_bad_query_spoils_only_itself(minilm: Bert) -> None:
    view = neighbors(minilm, Search(("##qqqzz", "dog", "awesomesauce", "dog/cat"), k=7))
    assert "has no piece “##qqqzz”" in str(view.values["problem"])
    assert view.values["split"] == "awesomesauce = awesome ##sau ##ce"
    assert [*Search(("x\u202eyq",)).results(minilm)] == ["\u2068x\u202eyq\u2069"], "no number turns"
    bars = [f"neighbors-{number}" for number in (2, 3, 4)]
    assert [list(view.tables), list(view.pictures)] == [bars, [*bars, "token-map"]]
    assert len({tuple(sent(view, name)["layout"]["xaxis"]["range"]) for name in bars}) == 1


def test_the_map_highlights_a_search_and_lists_a_region(minilm: Bert) -> None:
    layout = known_layout(minilm)
    assert layout is not None
    view = neighbors(minilm, Search(("python",)), None, layout)
    python, found = minilm.vocabulary.ids["python"], nearest_tokens(minilm, "python")
    near = np.isin(found.token_ids, nearest_on_map(layout.points, python, 100)).sum()
    assert (view.values["near-here"], view.values["searched"]) == (str(near), "10")
    (overlay,) = (part for part in view.all_parts if isinstance(part, Overlay))
    _, lines, pointed = overlay.changes(True, False)["data"]
    x, y = layout.points[python].tolist()
    ends = {tuple(layout.points[row].tolist()) for row in found.token_ids}
    assert set(zip(lines["x"], lines["y"], strict=True)) == {(x, y), (None, None)} | ends
    assert (pointed["x"][-1], pointed["y"][-1]) == (x, y)

    same = neighbors(minilm, Search(("dog", "cat")), None, layout)
    drawn = [one.pictures["token-map"] for one in (view, same)]
    assert drawn[0].alt == drawn[1].alt, "another text would be another chart"
    assert drawn[0].figure.to_json() == drawn[1].figure.to_json(), "so it is sent once"

    box = (((x, x + 0.1), (y, y + 0.1)),)
    region, rows = token_map(minilm, layout, boxes=box), rows_within(layout.points, box)
    assert region.values["in-region"] == str(rows.size)
    assert region.to_frame("region")["token id"].tolist() == rows.tolist()


def test_the_pointer_reads_every_token_of_its_cell() -> None:
    # Two in one corner, one in the other, one in the middle.
    points = np.float32([[0, 0], [0, 0], [40, 80], [20, 45]])
    drawn = cloud(points, ["cat", "<b>", "dog", "[unused0]"], np.int8([0, 0, 1, 1]))
    assert (drawn.across, drawn.up) == ((-24, 64), (-4, 84)), "a square"
    assert (len(drawn.names), len(drawn.names[0])) == (CELLS, CELLS)
    cells = ((row, column, name) for row, names in enumerate(drawn.names)
             for column, name in enumerate(names) if name)  # fmt: skip
    # (0 - -24) / 88 of 100 columns; (0 - -4) / 88 of 100 rows.
    assert {*cells} == {(4, 27, "cat, &lt;b&gt;"), (55, 50, "[unused0]"), (95, 72, "dog")}
    crowd = cloud(np.zeros((9, 2), np.float32), ["a"] * 9, np.zeros(9, np.int8))
    assert {name for row in crowd.names for name in row} == {"", "a, a, a, a, a and 4 more"}


def test_the_whole_map_or_what_is_around_a_search() -> None:
    grid = np.mgrid[0:40, 0:40].reshape(2, -1).T.astype(np.float32)
    tokens = [f"t{row}" for row in range(len(grid))]
    drawn = cloud(grid, tokens, np.zeros(len(grid), np.int8))
    own, near, far = 820, 821, 0
    given = highlights(grid, tokens, [Found([own], [near, far])], drawn, dark=False)
    around, lines, pointed = given["data"]
    assert (lines["x"], lines["y"]) == ([20, 20, None, 20, 0, None], [20, 21, None, 20, 0, None])
    assert pointed["text"] == ["t821 (821)", "t0 (0)", "t820 (820)"]
    whole, zoomed = (one["args"][1] for one in given["layout"]["updatemenus"][0]["buttons"])
    assert whole["xaxis.range"] == list(drawn.across)
    (x0, x1), (y0, y1) = zoomed["xaxis.range"], zoomed["yaxis.range"]
    assert (x0 + x1, y0 + y1) == (40, 40), "its point is in the middle"
    assert ((np.array(around["x"]) > x0) & (np.array(around["x"]) < x1)).all()
    assert len(around["x"]) >= 100
    # Without a search, the map alone; a sum has no point, and so no lines.
    assert not highlights(grid, tokens, [], drawn, dark=True)["data"]
    of_sum = highlights(grid, tokens, [Found([1, 2], [near])], drawn, dark=True)
    assert (of_sum["data"][1]["x"], Found([1, 2], [near]).middle) == ([], near)


def test_programs_of_other_choices(minilm: Bert, tiny_encoder: Encoder) -> None:
    """Words in any order, and all divisions of a test."""
    compare_programs(words_on_axis(minilm, **AXES["danger"]), tiny_encoder)
    compare_programs(association(minilm, **TESTS["careers"]), tiny_encoder)
