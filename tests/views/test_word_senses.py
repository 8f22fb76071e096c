"""The views of the page Word Senses, as data: their numbers are the core's."""

from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from bertviz_core.bert import Bert
from bertviz_core.csv_files import as_csv
from bertviz_core.encoder import Encoder
from bertviz_core.senses import (
    find_occurrences,
    nearest_occurrences,
    sense_vectors,
)
from bertviz_core.senses.projection import layer_frame, shared_frame, trust, tsne_map
from bertviz_core.ui.forms.word_senses_sources import OWN_LINES
from bertviz_core.views.view import Overlay, View
from bertviz_core.views.word_senses.mapped import ALL, MAPS, ONE, TSNE, Mapped, scores_of
from bertviz_core.views.word_senses.nearest import nearest
from bertviz_core.views.word_senses.occurrence_map import (
    GROUP,
    PROGRAM,
    selected_sentences,
    sense_map,
)
from bertviz_core.views.word_senses.scores import score_curve
from tests.data.vector_files import numbers as numbers_at_random
from tests.views.running import run_filled
from tests.views.word_senses import of_vectors, own_lines, prepared, series_on


@pytest.fixture(scope="module")
def mouse(minilm_encoder: Encoder) -> Mapped:
    return prepared(minilm_encoder, "mouse")


@pytest.fixture(scope="module")
def crane(minilm_encoder: Encoder) -> Mapped:
    return prepared(minilm_encoder, "crane")


def points_on(view: View) -> np.ndarray:
    """The points of the map, in the order of their numbers: float32 (n, 2)."""
    (picture,) = view.pictures.values()
    marks = [trace for trace in picture.figure._data if trace["mode"] == "markers"]
    zipped = (zip(one["customdata"], one["x"], one["y"], strict=True) for one in marks)
    drawn = {row[0]: (x, y) for trace in zipped for row, x, y in trace}
    return np.float32([xy for _, xy in sorted(drawn.items())])


def curves(view: View, name: str) -> dict[str, np.ndarray]:
    return {trace["name"]: np.array(trace["y"]) for trace in view.pictures[name].figure._data}


@pytest.mark.parametrize("kind", MAPS)
def test_the_map_is_the_cores(minilm: Bert, crane: Mapped, kind: str) -> None:
    view = sense_map(minilm, crane, 6, kind=kind)
    vectors = crane.vectors
    shared, plane = shared_frame(vectors), layer_frame(vectors[:, 6])
    points, shares = {
        ALL: (shared.points[:, 6], shared.explained[6]),
        ONE: (plane.points, plane.explained),
    }.get(kind) or (tsne_map(vectors[:, 6]), None)
    assert points_on(view) == pytest.approx(points, abs=1e-5)
    (picture,) = view.pictures.values()
    assert bool(picture.figure.played) == (kind == ALL)
    title = picture.figure._layout["xaxis"]["title"]["text"]
    assert (
        title == "t-SNE 1 (perplexity 9)" if shares is None else f"PC 1 ({shares[0]:.0%})" in title
    )
    measured = trust(vectors[:, 6], points)
    assert view.values["map_kept"] == f"{10 * measured.kept.mean():.1f}"
    assert view.values["map_trust"] == f"{measured.trustworthiness:.2f}"
    frame = view.to_frame("senses")
    assert np.float32(frame[["x", "y"]]) == pytest.approx(points, abs=1e-5)
    assert frame["sentence"].tolist() == [one.sentence for one in crane.occurrences]


def test_lines_lead_to_the_nearest_of_the_chosen_one(minilm: Bert, crane: Mapped) -> None:
    view = sense_map(minilm, crane, 6, 5, ONE)
    points = layer_frame(crane.at(6)).points
    (part,) = [part for part in view.all_parts if isinstance(part, Overlay)]
    assert part.picture in view.pictures
    shapes = part.made_by(False, False)["layout"]["shapes"]
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
    assert (view.values["map_close"], view.values["map_far"]) == (sum(solid), 10 - sum(solid))
    table = nearest(minilm, crane, 6, 5, ONE).to_frame()
    assert (table["rank on the map"] <= 10).tolist() == solid


def test_the_chosen_sentence_and_the_selected_ones(minilm: Bert, mouse: Mapped) -> None:
    view = sense_map(minilm, mouse, 3, 2, colour=GROUP, groups=2)
    assert series_on(view) == {"group 1": 14, "group 2": 14}
    chosen = mouse.occurrences[1]
    assert f"{view.values['before0']}{view.values['word0']}" == chosen.sentence[: chosen.end]
    near, _ = nearest_occurrences(mouse.at(3), 1)
    assert view.values["same"] == sum(mouse.senses[row] == chosen.sense for row in near)
    assert selected_sentences(mouse, 3, 2, [3]) == []
    selected = View(selected_sentences(mouse, 3, 2, [3, 20])).to_frame()
    assert selected["number"].tolist() == [4, 21]
    assert selected["sense"].tolist() == [mouse.senses[3], mouse.senses[20]]


def test_what_the_score_by_labels_says(minilm: Bert, mouse: Mapped) -> None:
    scores, headline = scores_of(mouse), sense_map(minilm, mouse, 6)
    auc, said = scores.auc, headline.values
    assert (said["layer"], said["ranked"]) == (3, f"{100 * auc.values[3]:.0f}")
    assert said["as_good"] == "layers 4, 5 and 6"
    view = score_curve(minilm, mouse, 6)
    found = {name: view.values[name] for name in ("low", "high", "chance", "auc_input")}
    known = (auc.low[3], auc.high[3], auc.chance.best, auc.values[0])
    assert list(found.values()) == pytest.approx(known)
    assert view.to_frame()["nearest centroid"][3] == 1
    drawn = list(curves(view, "senses-scores").values())
    assert drawn[-1] == pytest.approx(auc.values)
    assert drawn[2] == pytest.approx(np.full(7, auc.chance.best))
    assert view.to_frame()["AUC to"].tolist() == pytest.approx(auc.high)


def test_vectors_at_some_layers_of_another_model(minilm: Bert) -> None:
    vectors = numbers_at_random(12, 2, 8)
    vectors[::2, 1] += 3  # the later layer tells them apart, the earlier one does not
    mapped = of_vectors(vectors, (4, 11), ("river", "money") * 6)
    assert sense_map(minilm, mapped, 11).values["layer"] == 11
    for view in (score_curve(minilm, mapped, 11), nearest(minilm, mapped, 11, 1, ALL)):
        assert not view.programs  # they would run the model in use
        assert "auc_input" not in " ".join(view.findings)
        for picture in view.pictures.values():
            assert picture.figure._data[-1]["x"].tolist() == [4, 11]


@pytest.mark.parametrize("apart", [0, 9])
def test_noise_forms_no_clear_groups(minilm: Bert, apart: int) -> None:
    """k-means splits noise as well, with a mean silhouette near 0."""
    vectors = numbers_at_random(40, 3, 32)
    vectors[:20, :, 0] += apart
    mapped = of_vectors(vectors, (0, 4, 11))
    view = sense_map(minilm, mapped, 11)
    assert view.values["clearly"] == ("more" if apart else "no more")
    assert (float(view.values["score"]) > float(view.values["high"])) == bool(apart)
    assert sense_map(minilm, mapped, 11, groups=5).values["groups"] == 5


def test_own_lines_without_labels_show_silhouettes(minilm_encoder: Encoder) -> None:
    bert, mapped = minilm_encoder.bert, own_lines(minilm_encoder, "light", *OWN_LINES.splitlines())
    assert not mapped.scorable
    view = sense_map(bert, mapped, 6)
    assert "sense" not in view.to_frame()
    assert series_on(view)["group 1"] > 0


def test_labels_that_make_no_pairs_and_labels_at_random(minilm_encoder: Encoder) -> None:
    bert, header = minilm_encoder.bert, "sense\tsentence"
    apart = own_lines(minilm_encoder, "bat", header, "a\ta bat", "b\tthe old bat", "c\ton the bat")
    one = own_lines(minilm_encoder, "bat", header, *(f"a\tno{' very' * i} bat" for i in range(4)))
    for mapped in (apart, one):
        assert not mapped.scorable
        assert "ranked" not in sense_map(bert, mapped, 6).values
    lines = [f"{'ab'[i // 2 % 2]}\tthe bat" + " flew" * i for i in range(8)]
    shuffled = score_curve(bert, own_lines(minilm_encoder, "bat", header, *lines), 6)
    assert float(str(shuffled.values["auc_best"])) <= float(str(shuffled.values["chance"]))


def test_vectors_all_alike(minilm_encoder: Encoder) -> None:
    bert, mapped = minilm_encoder.bert, own_lines(minilm_encoder, "bat", *["a bat"] * 5)
    assert "have the same vector" in sense_map(bert, mapped, 6).findings[0]


def test_the_map_of_a_program(
    tiny_encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of unlabelled words of several pieces, by t-SNE, and of many words, read from the table."""
    lines = ['codings "it\'s"', "codings {0} \\", "the codings here", "=codings", "'-codings"]
    found = sense_vectors(tiny_encoder, find_occurrences(lines, "codings").occurrences, "max")
    columns = {name: [getattr(one, name) for one in found.occurrences]
               for name in ("sentence", "start", "end")}  # fmt: skip
    words = [(None, one.sentence, one.start, one.end) for one in found.occurrences]
    (tmp_path / "x.csv").write_bytes(as_csv(columns))
    monkeypatch.chdir(tmp_path)
    for listed in (words, "x.csv"):
        given = {"words": listed, "pooling": "max", "layer": 2, "map_of": TSNE, "group_count": 2}
        _, names = run_filled(PROGRAM, tiny_encoder.bert, **given)
        assert names["points"].shape == (5, 2)
        assert np.stack(names["by_layer"], axis=1) == pytest.approx(found.vectors, abs=1e-5)
