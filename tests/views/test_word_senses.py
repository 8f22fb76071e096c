"""The views of the page Word Senses, as data: their numbers are the core's."""

import numpy as np
import plotly.graph_objects as go
import pytest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.senses import (
    find_occurrences,
    nearest_occurrences,
    prepared_words,
    sense_vectors,
)
from bertviz_core.senses.projection import shared_frame, tsne_map
from bertviz_core.senses.scores import auc_by_layer
from bertviz_core.views.view import Overlay, View
from bertviz_core.views.word_senses.occurrence_map import PROGRAM, sense_map
from bertviz_core.views.word_senses.scores import MEAN, score_curve
from bertviz_core.views.word_senses.sense_map import ALL, MAPS, TSNE, SenseMap, scores_of
from tests.data.vector_files import numbers as numbers_at_random
from tests.views.reading import sent
from tests.views.running import run_filled
from tests.views.word_senses import map_of, of_vectors, own_lines, prepared


@pytest.fixture(scope="module")
def mouse(minilm_encoder: Encoder) -> SenseMap:
    return prepared(minilm_encoder, "mouse")


@pytest.fixture(scope="module")
def crane(minilm_encoder: Encoder) -> SenseMap:
    return prepared(minilm_encoder, "crane")


def points_on(view: View) -> np.ndarray:
    """The points of the map, in the order of their numbers: float32 (n, 2)."""
    marks = [trace for trace in map_of(view)["data"] if trace["mode"] == "markers"]
    zipped = (zip(one["customdata"], one["x"], one["y"], strict=True) for one in marks)
    drawn = {row[0]: (x, y) for trace in zipped for row, x, y in trace}
    return np.float32([xy for _, xy in sorted(drawn.items())])


@pytest.mark.parametrize("kind", MAPS)
def test_the_map_is_the_cores(minilm: Bert, crane: SenseMap, kind: str) -> None:
    view = sense_map(minilm, crane, 6, kind=kind)
    vectors = crane.vectors
    shared = shared_frame(vectors)
    points, shares = (shared.points[:, 6], shared.explained[6])
    if kind == TSNE:
        points, shares = tsne_map(vectors[:, 6]), None
    assert points_on(view) == pytest.approx(points, abs=1e-5)
    assert bool(view.pictures[MAPS[kind]].figure.played) == (kind == ALL)
    title = map_of(view)["layout"]["xaxis"]["title"]["text"]
    assert (
        title == "t-SNE 1 (perplexity 9)" if shares is None else f"PC 1 ({shares[0]:.0%})" in title
    )
    frame = view.to_frame("senses")
    assert np.float32(frame[["x", "y"]]) == pytest.approx(points, abs=1e-5)
    assert frame["sentence"].tolist() == [one.sentence for one in crane.occurrences]


def test_lines_lead_to_the_nearest_of_the_chosen_one(minilm: Bert, crane: SenseMap) -> None:
    view = sense_map(minilm, crane, 6, 5, TSNE)
    points = tsne_map(crane.at(6))
    (part,) = [part for part in view.all_parts if isinstance(part, Overlay)]
    assert part.picture in view.pictures
    shapes = part.changes(False, False)["layout"]["shapes"]
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


def test_what_the_score_by_labels_says(minilm: Bert, mouse: SenseMap) -> None:
    scores, headline = scores_of(mouse), sense_map(minilm, mouse, 6)
    auc, said = scores.auc, headline.values
    assert (said["layer"], said["ranked"]) == (3, f"{100 * auc.values[3]:.0f}")
    assert said["as_good"] == "layers 4, 5 and 6"


def test_vectors_at_some_layers_of_another_model(minilm: Bert) -> None:
    vectors = numbers_at_random(12, 2, 8)
    vectors[::2, 1] += 3  # the later layer tells them apart, the earlier one does not
    mapped = of_vectors(vectors, (4, 11), ("river", "money") * 6)
    headline, view = sense_map(minilm, mapped, 11), score_curve(minilm, mapped, 11)
    assert headline.values["layer"] == 11
    assert not headline.programs | view.programs  # they would run the model in use
    for name in view.pictures:
        assert sent(view, name)["data"][-1]["x"] == [4, 11]


def test_the_mean_of_the_shipped_sets(minilm_encoder: Encoder, mouse: SenseMap) -> None:
    view = score_curve(minilm_encoder.bert, mouse, 6)
    by_word = [auc_by_layer(prepared(minilm_encoder, word).found) for word in prepared_words()]
    frame, mean = view.to_frame(), np.mean(by_word, axis=0)
    assert frame[MEAN].tolist() == pytest.approx(mean, abs=1e-6)
    assert (view.values["mean_best"], view.values["sets"]) == (mean.argmax(), 14)
    assert view.values["best_of"] == (np.argmax(by_word, axis=1) == mean.argmax()).sum()


def test_vectors_all_alike(minilm_encoder: Encoder) -> None:
    bert, mapped = minilm_encoder.bert, own_lines(minilm_encoder, "bat", *["a bat"] * 5)
    assert "have the same vector" in sense_map(bert, mapped, 6).findings[0]


def test_the_map_of_a_program(tiny_encoder: Encoder) -> None:
    """Of unlabelled words of several pieces, by t-SNE."""
    lines = ['codings "it\'s"', "codings {0} \\", "the codings here", "=codings", "'-codings"]
    found = sense_vectors(tiny_encoder, find_occurrences(lines, "codings").occurrences, "max")
    words = [(None, one.sentence, one.start, one.end) for one in found.occurrences]
    given = {"words": words, "pooling": "max", "layer": 2, "map_of": TSNE}
    _, names = run_filled(PROGRAM, tiny_encoder.bert, chosen=1, **given)
    assert names["points"].shape == (5, 2)
    assert np.stack(names["by_layer"], axis=1) == pytest.approx(found.vectors, abs=1e-5)
