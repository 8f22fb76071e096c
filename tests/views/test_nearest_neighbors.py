"""The views of the page Nearest Neighbors, as data: their numbers are the core's."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import column
from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.neighbors.layout import known_layout
from bertviz_core.neighbors.token_map import nearest_on_map
from bertviz_core.views.nearest_neighbors.nearest_rows import Search, neighbors
from bertviz_core.views.view import Overlay
from tests.views.reading import sent


def test_a_score_among_those_of_other_tokens(
    minilm: Bert, nearest_of_others: NearestScores
) -> None:
    view = neighbors(minilm, Search(("python",), k=30), nearest_of_others)
    found = nearest_tokens(minilm, "python", 30)
    frame = view.to_frame()
    assert frame["token"].tolist() == ["python", *found.tokens]
    assert frame["part of the query"].tolist() == ["left out", *[""] * 30]
    assert frame["cosine similarity"][1:].tolist() == pytest.approx(found.scores)
    percentiles = nearest_of_others.percentiles(found)
    shown = np.array(column(percentiles).values)
    assert frame["percentile"][1:].tolist() == pytest.approx(shown)
    assert view.values["closer"] == f"{100 - shown[0]:g}%"


def test_a_sum_against_its_words(minilm: Bert) -> None:
    view = neighbors(minilm, Search(("king - man + woman",)))
    frame = view.to_frame()
    assert (view.values["nearest"], view.values["score"]) == ("queen", "0.511")
    assert (view.values["nearest-term"], view.values["term-cosine"]) == ("king", "0.627")
    assert frame["token"].tolist()[:4] == ["king", "queen", "kings", "woman"]
    row = frame[frame["token"] == "queen"].iloc[0]
    assert view.values["term-cosine"] == f"{row['cosine with king']:.3f}"
    included = neighbors(minilm, Search(("king - man + woman",), own=True))
    assert included.to_frame()["part of the query"][0] == "included"
    by_dot = neighbors(minilm, Search(("king - man + woman",), metric="dot")).values
    assert (by_dot["term-cosine"], by_dot["whole"]) == ("0.627", "0.511"), "compared by cosine"
    nearer = neighbors(minilm, Search(("he - man + woman",))).values
    assert (nearer["nearest"], nearer["score"]) == ("she", "0.620")
    assert (nearer["nearest-term"], nearer["term-cosine"]) == ("he", "0.580")


def test_side_by_side_a_bad_query_spoils_only_itself(minilm: Bert) -> None:
    view = neighbors(minilm, Search(("##qqqzz", "dog", "awesomesauce", "dog/cat"), k=7))
    assert "has no piece “##qqqzz”" in str(view.values["problem"])
    assert list(view.tables) == ["neighbors-2", "neighbors-3", "neighbors-4"]
    assert view.values["split"] == "awesomesauce = awesome ##sau ##ce"
    assert [*Search(("x\u202eyq",)).results(minilm)] == ["\u2068x\u202eyq\u2069"], "no number turns"
    bars = [f"neighbors-{number}" for number in (2, 3, 4)]
    assert [*view.pictures] == [*bars, "token-map"]
    assert len({tuple(sent(view, name)["layout"]["xaxis"]["range"]) for name in bars}) == 1
    long = neighbors(minilm, Search(("dog/" * 60,)))
    assert len(str(long.values["split"])) <= 123
    assert len(str(long.values["query"])) <= 100


def test_the_map_highlights_a_search(minilm: Bert) -> None:
    layout = known_layout(minilm)
    assert layout is not None
    view = neighbors(minilm, Search(("python",)), None, layout)
    python, found = minilm.vocabulary.ids["python"], nearest_tokens(minilm, "python")
    near = np.isin(found.token_ids, nearest_on_map(layout.points, python, 100)).sum()
    assert (view.values["near-here"], view.values["searched"]) == (str(near), "10")
    (overlay,) = (part for part in view.all_parts if isinstance(part, Overlay))
    _, lines, pointed = overlay.changes["data"]
    x, y = layout.points[python].tolist()
    ends = {tuple(layout.points[row].tolist()) for row in found.token_ids}
    assert set(zip(lines["x"], lines["y"], strict=True)) == {(x, y), (None, None)} | ends
    assert (pointed["x"][-1], pointed["y"][-1]) == (x, y)

    same = neighbors(minilm, Search(("dog", "cat")), None, layout)
    assert list(same.pictures) == ["neighbors-1", "neighbors-2", "token-map"]
    drawn = [view.pictures["token-map"] for view in (view, same)]
    assert drawn[0].alt == drawn[1].alt, "another text would be another chart"
    assert drawn[0].figure.to_json() == drawn[1].figure.to_json(), "so it is sent once"
