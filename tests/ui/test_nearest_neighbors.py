"""Nearest Neighbors, headless: what a score is compared with, and what was left out."""

import json
import re
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.errors import UserInputError
from bertviz_core.figures.colors import MUTED, TOKEN
from bertviz_core.neighbors import (
    NearestScores,
    TokenMap,
    nearest_scores,
    nearest_tokens,
    pca_map,
)
from bertviz_core.neighbors.layout import known_layout, save_layout
from bertviz_core.neighbors.token_map import nearest_on_map, rows_within
from bertviz_core.ui import jobs, sections
from bertviz_core.ui.nearest_neighbors import layouts, other_tokens, token_map
from bertviz_core.ui.nearest_neighbors.neighbors import centred_scores
from bertviz_core.ui.results import models
from bertviz_core.views.percentiles import column
from tests.headless import charts, html, numbers, open_page, said, value, values
from tests.waiting import wait_for

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGE = "pages/3_Nearest_Neighbors.py"


@pytest.fixture
def compared(fresh_caches, minilm: Bert, nearest_of_others: NearestScores) -> NearestScores:
    """What scores are compared with, as if it had been searched for a page before."""
    other_tokens.known[minilm] = nearest_of_others
    return nearest_of_others


def has_job() -> bool:
    return jobs.find(("other tokens", EMBEDDED)) is not None


def test_a_score_among_those_of_other_tokens(minilm: Bert, compared: NearestScores) -> None:
    app = open_page(PAGE, q="python", k="30", **{"table-1": "true"})
    assert not has_job()
    neighbors = nearest_tokens(minilm, "python", 30)
    frame = app.dataframe[0].value
    assert frame["token"].tolist() == ["python", *neighbors.tokens]
    assert frame["part of the query"].tolist() == ["left out", *[""] * 30]
    assert frame["rank"].tolist() == list(range(1, 32))
    assert frame["cosine similarity"][1:].tolist() == pytest.approx(neighbors.scores)
    percentiles = compared.percentiles(neighbors)
    assert np.isnan(frame["percentile"][0])
    shown = np.array(column(percentiles).values)
    assert frame["percentile"][1:].tolist() == pytest.approx(shown)
    assert np.abs(percentiles - shown).max() < 1
    assert (value(app, "query"), value(app, "nearest")) == ("python", "##ango")
    assert value(app, "score") == f"{neighbors.scores[0]:.3f}"
    assert "21%" in value(app, "closer")
    (bars,) = charts(app)  # all else is folded away, or a section
    assert bars["data"][0]["customdata"][1].endswith("percentile 21")
    assert html(app).count("bx-finding") == 1
    assert "Methods#nearest-rows" in html(app)


def test_the_arithmetic_and_what_it_left_out(compared: NearestScores) -> None:
    app = open_page(PAGE, **{"table-1": "true"})  # king - man + woman, as on a first visit
    bars = charts(app)[0]["data"][0]
    frame = app.dataframe[0].value
    assert frame["token"].tolist()[:4] == ["king", "queen", "kings", "woman"]
    assert frame["part of the query"].tolist()[:4] == ["left out", "", "", "left out"]
    assert bars["marker"]["color"][:4] == [MUTED, TOKEN, TOKEN, MUTED]
    assert bars["text"][3].endswith("rank 4, left out")
    assert (value(app, "nearest"), value(app, "score")) == ("queen", "0.511")
    assert (value(app, "nearest-term"), value(app, "term-cosine")) == ("king", "0.627")
    assert frame["cosine with king"][1] == pytest.approx(0.627, abs=5e-4)
    assert frame["cosine with woman"][3] == pytest.approx(1)
    app.segmented_control(key="metric").set_value("dot").run()
    assert (value(app, "measure"), value(app, "term-cosine")) == ("dot product", "0.627")
    assert value(app, "whole") == "0.511", "the comparison goes by cosine all the same"


def test_the_switch_counts_the_own_rows_in(compared: NearestScores) -> None:
    app = open_page(PAGE, own="true", k="3", **{"table-1": "true"})
    assert app.dataframe[0].value["token"].tolist() == ["king", "queen", "kings"]
    assert app.dataframe[0].value["part of the query"][0] == "included"
    assert charts(app)[0]["data"][0]["marker"]["color"] == TOKEN
    assert value(app, "nearest") == "king"
    assert values(app, "closer") == values(app, "nearest-term") == []
    app.toggle(key="own").set_value(False).run()
    assert (value(app, "nearest"), value(app, "nearest-term")) == ("queen", "king")
    app.text_input(key="q").set_value("he - man + woman").run()  # nearer than each of its terms
    assert (value(app, "nearest"), value(app, "score")) == ("she", "0.620")
    assert (value(app, "nearest-term"), value(app, "term-cosine")) == ("he", "0.580")


def test_every_term_of_a_sum_is_centred(minilm: Bert) -> None:
    ids, table = minilm.vocabulary.ids, minilm.tables.word_embeddings
    mean = minilm.mean_token_row()
    for query, terms in (
        ("king - man", {"king": 1, "man": -1}),
        ("king + queen", {"king": 1, "queen": 1}),
        ("king - man + woman", {"king": 1, "man": -1, "woman": 1}),
    ):
        neighbors = nearest_tokens(minilm, query, 3)
        vector = sum(sign * (table[ids[word]] - mean) for word, sign in terms.items())
        rows = table[neighbors.ranked_ids] - mean
        cosines = rows @ vector / np.linalg.norm(rows, axis=1) / np.linalg.norm(vector)
        assert centred_scores(minilm, neighbors) == pytest.approx(cosines, abs=1e-5)


def test_scores_of_several_queries_on_one_scale(minilm: Bert, compared: NearestScores) -> None:
    app = open_page(PAGE, q="dog", q2="##ing", wider=sections.ALL_SCORES)
    first, second, spread = charts(app)
    assert first["layout"]["xaxis"]["range"] == second["layout"]["xaxis"]["range"]
    outlines = [trace for trace in spread["data"] if trace["mode"] == "lines"]
    assert [numbers(trace["y"]).sum() for trace in outlines] == [minilm.vocab_size] * 2
    every = nearest_tokens(minilm, "dog").all_scores.astype(np.float64)
    assert (value(app, "mean"), values(app, "query")[-1]) == (f"{every.mean():.3f}", "dog")
    best = float(app.dataframe[0].value["cosine similarity"][0])
    assert value(app, "away") == f"{(best - every.mean()) / every.std():.1f}"

    app.segmented_control(key="wider").set_value(sections.PERCENTILE_SCALE).run()
    outline, *marks = charts(app)[-1]["data"]
    assert numbers(outline["y"]).sum() in (1999, 2000), "one distribution for all queries"
    for mark, score in zip(marks, values(app, "score"), strict=True):
        assert numbers(mark["x"])[0] == pytest.approx(float(score), abs=5e-4)
    frame = app.dataframe[0].value
    assert frame["query and its nearest"].tolist() == ["dog: dogs", "##ing: ##ting"]
    for percentile, closer in zip(frame["percentile"], values(app, "closer"), strict=True):
        assert f"{percentile:g}%" in closer


@pytest.mark.parametrize(
    ("metric", "title", "upwards"),
    [("dot", "dot product", False), ("Euclidean", "Euclidean distance", True)],
)
def test_other_measures_compare_single_tokens(
    compared: NearestScores, metric: str, title: str, upwards: bool
) -> None:
    shown = {"wider": sections.PERCENTILE_SCALE, "table-1": "true", "table-2": "true"}
    app = open_page(PAGE, q="##ing", q2="king - man", metric=metric, keep="subwords", **shown)
    frame, sums = app.dataframe[0].value, app.dataframe[1].value
    assert frame["token"].str.startswith("##").all()
    scores = frame[title]
    assert scores.is_monotonic_increasing if upwards else scores.is_monotonic_decreasing
    assert "%" in value(app, "closer")
    assert frame["percentile"][1:].is_monotonic_decreasing
    assert "percentile" not in sums
    assert len(app.dataframe[-1].value) == 1, "the sum has no place on the scale"
    assert "compared by cosine only" in said(app)


def test_side_by_side_a_bad_query_spoils_only_itself() -> None:
    unfolded = {f"table-{number}": "true" for number in (1, 2, 3)}
    app = open_page(PAGE, q="##qqqzz", q2="dog", q3="##ing", k="7", **unfolded)
    assert "has no piece “##qqqzz”" in said(app)
    assert [len(frame.value) for frame in app.dataframe] == [8, 8]
    assert values(app, "nearest")[0] == app.dataframe[0].value["token"][1] == "dogs"
    app.text_input(key="q").set_value("awesomesauce").run()
    assert value(app, "split") == "awesomesauce = awesome ##sau ##ce"
    assert values(app, "signs") == []
    bars = charts(app)[0]["data"][0]
    assert numbers(bars["x"]).tolist() == app.dataframe[0].value["cosine similarity"].tolist()


def test_signs_without_spaces_and_a_long_word() -> None:
    app = open_page(PAGE, q="king-man")
    assert value(app, "split") == "king-man = king - man"
    assert value(app, "signs") == "+ and -"
    app.text_input(key="q").set_value("dog+" * 60).run()
    assert len(value(app, "split")) <= 123
    assert len(value(app, "query")) <= 100


@pytest.mark.usefixtures("tiny_on_offer")
def test_the_page_does_not_wait_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_MODEL", "tiny")
    allowed = []
    monkeypatch.setattr(
        other_tokens,
        "nearest_scores",
        lambda bert, progress: wait_for(lambda: bool(allowed)) or nearest_scores(bert, progress),
    )
    app = open_page(PAGE, q="dog", **{"table-1": "true"})
    assert value(app, "closer") == ""
    assert "percentile" not in app.dataframe[0].value
    assert len(app.get("progress")) == 1
    allowed.append(True)
    wait_for(lambda: models.bert("tiny") in other_tokens.known)
    app.run()
    assert "other tokens" in value(app, "closer")
    assert "percentile" in app.dataframe[0].value
    assert not app.get("progress")


@pytest.mark.usefixtures("tiny_on_offer")
def test_a_failure_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_MODEL", "tiny")
    begun = []

    def broken(bert: Bert, progress: object) -> None:
        begun.append(bert)
        raise UserInputError("No others.")

    monkeypatch.setattr(other_tokens, "nearest_scores", broken)
    app = open_page(PAGE, q="dog", **{"table-1": "true"})
    wait_for(lambda: jobs.find(("other tokens", "tiny")).state == "failed")
    app.run()
    assert value(app, "problem") == "No others."
    assert len(app.dataframe[0].value) > 5
    assert len(begun) == 1


def test_the_map_lights_a_token_and_lists_a_region(
    minilm: Bert, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(PAGE, q="", find="python")
    layout = known_layout(minilm)
    python, neighbors = minilm.vocabulary.ids["python"], nearest_tokens(minilm, "python")
    near = np.isin(neighbors.token_ids, nearest_on_map(layout.points, python, 100)).sum()
    assert (value(app, "near-here"), value(app, "searched")) == (str(near), "10")
    assert value(app, "listed") == ", ".join(neighbors.tokens)
    assert value(app, "map-kept") == f"{layout.kept:.0%}"
    lines, labels = (
        json.loads(unescape(re.search(rf'data-{name}="([^"]*)"', html(app))[1]))
        for name in ("lines", "labels")
    )
    x, y = layout.points[python].tolist()
    assert {(line["x0"], line["y0"]) for line in lines} == {(x, y)}
    ends = {(line["x1"], line["y1"]) for line in lines}
    assert ends == {tuple(layout.points[row].tolist()) for row in neighbors.token_ids}
    bold = [label for label in labels if label["text"] == "<b>python</b>"]
    assert [(label["x"], label["y"]) for label in bold] == [(x, y)]

    monkeypatch.setattr(token_map, "_regions", lambda: ([((x, x + 0.1), (y, y + 0.1))], []))
    app.segmented_control(key="mapcolor").set_value("length").run()
    rows = rows_within(layout.points, [((x, x + 0.1), (y, y + 0.1))])
    assert value(app, "in-region") == str(rows.size)
    assert app.dataframe[0].value["token id"].tolist() == rows.tolist()
    assert app.dataframe[0].value["kind"][rows.tolist().index(python)] == "word"
    app.text_input(key="q").set_value("king - man + woman").run()
    app.segmented_control(key="wider").set_value(sections.TOKEN_MAP).run()
    app.text_input(key="find").set_value("##qqqzz").run()
    assert "has no piece “##qqqzz”" in said(app)
    assert len(charts(app)) == 2


@pytest.mark.usefixtures("tiny_on_offer")
def test_a_layout_is_made_by_a_click(
    monkeypatch: pytest.MonkeyPatch, tiny: Bert, tmp_path: Path
) -> None:
    monkeypatch.setenv("BERTVIZ_MODEL", "tiny")
    points = np.linspace(-1, 1, 2 * tiny.vocab_size, dtype=np.float32).reshape(-1, 2)
    made = tmp_path / "made.npz"
    save_layout(tiny, TokenMap(points, 0.75), made)

    def copies(name: str, path: Path) -> list[str]:
        assert name == "tiny"
        program = f"import shutil; print('[t-SNE] Iteration 50: x'); shutil.copy({str(made)!r}, "
        return [sys.executable, "-c", f"{program}{str(path)!r})"]

    monkeypatch.setattr(layouts, "command", lambda name, path: [sys.executable, "-c", "1 / 0"])
    app = open_page(PAGE, q="")
    assert value(app, "map-kept") != "75%", "the map is a PCA until then"
    app.button(key="lay_out").click().run()
    key = ("token map", "tiny")
    wait_for(lambda: jobs.find(key).state == "failed")
    app.run()
    assert "stopped early" in value(app, "problem")
    jobs.forget(key)

    monkeypatch.setattr(layouts, "command", copies)
    app.run()
    app.button(key="lay_out").click().run()
    wait_for(lambda: layouts.layout_of(models.bert("tiny")) is not None)
    app.run()
    assert value(app, "map-kept") == "75%"
    assert known_layout(tiny) is not None, "it is kept on disk"
    app.segmented_control(key="mapby").set_value("PCA").run()
    assert value(app, "map-kept") == f"{pca_map(tiny).kept:.0%}"
