"""What is drawn on Nearest Neighbors: scores beside those of others, and the map."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import column
from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.encoder import Encoder
from bertviz_core.neighbors import nearest_tokens, pca_map
from bertviz_core.neighbors.token_map import nearest_on_map, shipped_map
from bertviz_core.views.nearest_neighbors.nearest_rows import Search, nearest_rows
from bertviz_core.views.nearest_neighbors.token_map import token_map
from bertviz_core.views.nearest_neighbors.words_on_axis import AXES, words_on_axis
from bertviz_core.views.parts import Overlay
from tests.views.reading import sent
from tests.views.test_programs import compare_programs


def test_a_score_among_those_of_other_tokens(
    minilm: Bert, nearest_of_others: NearestScores
) -> None:
    view = nearest_rows(minilm, Search(("python",), k=30), nearest_of_others)
    found, frame = nearest_tokens(minilm, "python", 30), view.to_frame()
    assert frame["token"].tolist() == ["python", *found.tokens]
    assert frame["part of the query"].tolist() == ["left out", *[""] * 30]
    assert frame["cosine similarity"][1:].tolist() == pytest.approx(found.scores)
    shown = np.array(column(nearest_of_others.percentiles(found)).values)
    assert frame["percentile"][1:].tolist() == pytest.approx(shown)
    assert view.values["closer"] == f"{100 - shown[0]:g}%"


def test_side_by_side_a_bad_query_spoils_only_itself(minilm: Bert) -> None:
    view = nearest_rows(minilm, Search(("##qqqzz", "dog", "awesomesauce", "dog/cat"), k=7))
    assert "has no piece “##qqqzz”" in str(view.values["problem"])
    assert view.values["split"] == "awesomesauce = awesome ##sau ##ce"
    assert [*Search(("x\u202eyq",)).results(minilm)] == ["\u2068x\u202eyq\u2069"], "no number turns"
    bars = [f"neighbors-{number}" for number in (2, 3, 4)]
    assert [list(view.tables), list(view.pictures)] == [bars, [*bars, "token-map"]]
    assert len({tuple(sent(view, name)["layout"]["xaxis"]["range"]) for name in bars}) == 1


def test_the_map_of_a_model_without_a_shipped_one(tiny: Bert) -> None:
    assert token_map(tiny).values["map-kept"] == f"{10 * pca_map(tiny).kept:.1f}"


def test_the_map_highlights_a_search(minilm: Bert) -> None:
    layout = shipped_map(minilm)
    assert layout is not None
    view = nearest_rows(minilm, Search(("python",)))
    python, found = minilm.vocabulary.ids["python"], nearest_tokens(minilm, "python")
    near = np.isin(found.token_ids, nearest_on_map(layout.points, python, 100)).sum()
    assert (view.values["near-here"], view.values["searched"]) == (str(near), "10")
    (overlay,) = (part for part in view.all_parts if isinstance(part, Overlay))
    lines, pointed = overlay.traces
    x, y = layout.points[python].tolist()
    ends = {tuple(layout.points[row].tolist()) for row in found.token_ids}
    assert set(zip(lines["x"], lines["y"], strict=True)) == {(x, y), (None, None)} | ends
    assert (pointed["x"][-1], pointed["y"][-1]) == (x, y)

    same = nearest_rows(minilm, Search(("dog", "cat")))
    drawn = [one.pictures["token-map"] for one in (view, same)]
    assert drawn[0].alt == drawn[1].alt, "another text would be another chart"
    assert drawn[0].figure.to_json() == drawn[1].figure.to_json(), "so it is sent once"


def test_programs_of_other_choices(minilm: Bert, tiny_encoder: Encoder) -> None:
    """Words in any order."""
    compare_programs(words_on_axis(minilm, **AXES["danger"]), tiny_encoder)
