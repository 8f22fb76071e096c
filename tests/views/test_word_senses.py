"""What is drawn on Word Senses: the maps, their lines and layers, files and corpora."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from bertviz_core.bert import Bert
from bertviz_core.corpus.store import Occurrences
from bertviz_core.encoder import Encoder
from bertviz_core.senses import (
    find_occurrences,
    nearest_occurrences,
    sense_scores,
    sense_vectors,
)
from bertviz_core.senses.projection import shared_frame
from bertviz_core.views.parts import Overlay
from bertviz_core.views.view import View
from bertviz_core.views.word_senses.corpora import Corpus
from bertviz_core.views.word_senses.map_figure import map_figure
from bertviz_core.views.word_senses.occurrence_map import PROGRAM, sense_map
from bertviz_core.views.word_senses.scores import score_curve
from bertviz_core.views.word_senses.sense_map import SenseMap, plane_of
from tests.corpus.made import JOB, write_manifest, write_part
from tests.views.reading import run, run_filled, sent
from tests.views.word_senses import map_of, own_lines, prepared, rows


@pytest.fixture(scope="module")
def crane(minilm_encoder: Encoder) -> SenseMap:
    return prepared(minilm_encoder, "crane")


def points_on(view: View) -> np.ndarray:
    """The points of the map, in the order of their numbers: float32 (n, 2)."""
    marks = [trace for trace in map_of(view)["data"] if trace["mode"] == "markers"]
    zipped = (zip(one["customdata"], one["x"], one["y"], strict=True) for one in marks)
    drawn = {row[0]: (x, y) for trace in zipped for row, x, y in trace}
    return np.float32([xy for _, xy in sorted(drawn.items())])


def test_the_map_is_the_cores(minilm: Bert, crane: SenseMap) -> None:
    view = sense_map(minilm, crane, 6)
    shared = shared_frame(crane.vectors)
    points = shared.points[:, 6]
    assert points_on(view) == pytest.approx(points, abs=1e-5)
    title = map_of(view)["layout"]["xaxis"]["title"]["text"]
    assert title == f"PC 1 ({shared.explained[6, 0]:.0%})"
    frame = view.to_frame("senses")
    assert np.float32(frame[["x", "y"]]) == pytest.approx(points, abs=1e-5)
    assert frame["sentence"].tolist() == [one.sentence for one in crane.occurrences]


def test_lines_lead_to_the_nearest_of_the_chosen_one(minilm: Bert, crane: SenseMap) -> None:
    view = sense_map(minilm, crane, 6, 5)
    points = plane_of(crane).points[:, 6]
    (part,) = [part for part in view.all_parts if isinstance(part, Overlay)]
    shapes = part.shapes
    *leading, ring = shapes
    assert [ring["xanchor"], ring["yanchor"]] == pytest.approx(points[4].tolist(), abs=1e-5)
    near, _ = nearest_occurrences(crane.at(6), 4)
    go.Layout(shapes=shapes)  # names that Plotly knows
    ends = np.array([(line["x1"], line["y1"]) for line in leading])
    assert ends == pytest.approx(points[near], abs=1e-5)
    distances = np.linalg.norm(points - points[4], axis=1)
    limit = np.sort(distances)[10]  # the first is the point itself
    solid = [line["line"].get("dash") is None for line in leading]
    assert solid == (distances[near] <= limit).tolist()
    assert (view.values["map_close"], view.values["map_nearest"]) == (sum(solid), 10)
    table = view.to_frame("senses-nearest")
    assert table["number"].tolist() == [row + 1 for row in near]
    assert (table["rank on the map"] <= 10).tolist() == solid


def test_points_have_an_escaped_text_and_a_place_at_each_layer() -> None:
    layers = np.float32(
        [[[0, 0], [1, 0], [4, 0]], [[0, 0], [3, 2], [8, 2]], [[0, 0], [-4, 1], [-9, 3]]]
    )  # of two occurrences of "a" and one of "<i>"
    names, texts, axes = ["a", "a", "<i>"], ["w", "x<b>", "y"], ("PC 1", "PC 2")
    figure = map_figure(layers, 1, names, texts, axes=axes, numbers=range(3))
    named = {trace.name: trace for trace in figure.data}
    assert named["a"].customdata[1] == [1, "x&lt;b&gt;"]
    assert "&lt;i&gt;" in named
    assert named["a"].marker.symbol != named["&lt;i&gt;"].marker.symbol
    assert [frame["name"] for frame in figure.played] == ["0", "1", "2"]
    for layer, frame in enumerate(figure.played):
        first, second = (np.stack([one["x"], one["y"]], axis=1) for one in frame["data"][:2])
        places = {tuple(place) for place in [*first.tolist(), *second.tolist()]}
        assert places == {tuple(place) for place in layers[:, layer].tolist()}
    (button,) = figure.layout.updatemenus[0].buttons
    assert [*button.args[0]] == ["0", "1", "2", "1"]  # and back to the layer of the page


def test_vectors_all_alike(minilm_encoder: Encoder) -> None:
    bert, mapped = minilm_encoder.bert, own_lines(minilm_encoder, "bat", *["a bat"] * 5)
    assert "have the same vector" in sense_map(bert, mapped, 6).findings[0]


def test_the_map_of_a_program(tiny_encoder: Encoder) -> None:
    """Of unlabelled words of several pieces."""
    lines = ['codings "it\'s"', "codings {0} \\", "the codings here", "=codings", "'-codings"]
    found = sense_vectors(tiny_encoder, find_occurrences(lines, "codings").occurrences, "max")
    words = [(None, one.sentence, one.start, one.end) for one in found.occurrences]
    given = {"words": words, "pooling": "max", "layer": 2}
    _, names = run_filled(PROGRAM, tiny_encoder.bert, chosen=1, **given)
    assert names["points"].shape == (5, 2)
    assert np.stack(names["by_layer"], axis=1) == pytest.approx(found.vectors, abs=1e-5)


def test_the_word_beside_its_sentences_without_it(minilm_encoder: Encoder) -> None:
    """What is drawn, said, tabulated and printed; one sentence is the word alone."""
    animal = ("a bat flew at night", "the bat slept in its cave", "a bat", "bat")
    sport = ("swing the bat at the ball", "his bat broke in the game", "the bat is of wood")
    lines = [f"animal\t{one}" for one in animal] + [f"sport\t{one}" for one in sport]
    bats = own_lines(minilm_encoder, "bat", "sense\tsentence", *lines)
    view = score_curve(minilm_encoder.bert, bats, 6)
    scores = sense_scores(bats.vectors, bats.senses, bats.found.others)
    both = np.stack([scores.auc, scores.without_word.auc])
    drawn = np.stack([one["y"] for one in sent(view, "senses-scores")["data"]])
    listed = view.to_frame()[["AUC", "AUC without the word"]].to_numpy().T
    assert drawn == pytest.approx(both)
    assert listed == pytest.approx(both)
    assert (len(scores.rows), len(scores.without_word.rows), view.values["alone"]) == (7, 6, 1)
    assert view.values["auc_without"] == both[1].max() == both[1, view.values["best_without"]]
    said = sense_map(minilm_encoder.bert, bats, 6).values
    assert said["ranked_without"] == f"{100 * both[1].max():.0f}"
    printed = run(view.programs["scores"].text)
    aucs = re.findall(r"AUC (.*) (\d\.\d+)", printed)
    for name, row in (("of the word", both[0]), ("without the word", both[1])):
        assert [float(auc) for of, auc in aucs if of == name] == pytest.approx(row, abs=1e-4)


def test_a_corpus_of_one_file_has_nothing_to_spread_by(tmp_path: Path) -> None:
    plain = replace(JOB, carried=(), files=JOB.files[:1])
    write_manifest(tmp_path, plain)
    write_part(tmp_path, plain, 0, [replace(row, source="a.txt") for row in rows()])
    assert Corpus("bare", "bare", Occurrences.open(tmp_path)).columns == []
