"""The views of the page Positions and Segments, as data: their numbers are the core's."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.positions.baselines import sinusoidal_table
from bertviz_core.positions.changes import CHANGES, Change, change_by_layer, changed_text
from bertviz_core.positions.table import (
    PositionAnalysis,
    analyse_positions,
    nearest_positions,
)
from bertviz_core.tokens import tokenize
from bertviz_core.views.positions_and_segments.experiments import experiments
from bertviz_core.views.positions_and_segments.lengths import lengths
from bertviz_core.views.positions_and_segments.position_table import (
    distance,
    one_position,
    position_table,
)
from bertviz_core.views.positions_and_segments.sinusoids import against_sinusoids
from tests.figures.test_points import pixels
from tests.views.running import NUMBER, run
from tests.views.test_input_embeddings import drawn


@pytest.fixture(scope="module")
def own(minilm: Bert) -> PositionAnalysis:
    return analyse_positions(minilm.tables.position_embeddings)


@pytest.fixture(scope="module")
def computed() -> PositionAnalysis:
    return analyse_positions(sinusoidal_table(512, 384))


def test_the_headline_frames_two_positions(minilm: Bert, own: PositionAnalysis) -> None:
    view = position_table(minilm, 300, 310)
    assert view.values["cosine"] == own.similarity[300, 310]
    assert (view.values["next_door"], view.values["count"]) == (511, 512)
    whole = view.pictures["matrix"].figure
    assert pixels(whole.data[0].source).shape[:2] == (512, 512)
    assert whole.layout.yaxis.range == (511.5, -0.5)
    assert whole.layout.shapes[0].x0 == 277.5
    (window,) = drawn(view, "matrix-window")
    assert np.array_equal(window, own.similarity[268:332, 278:342])
    frame = view.to_frame()
    assert frame["position"].tolist() == list(range(268, 332))
    assert np.array_equal(frame["310"], own.similarity[268:332, 310])


def test_its_program_prints_the_same_cosines(minilm: Bert, own: PositionAnalysis) -> None:
    """Among all cosines of the view any four decimals are found; these are those of a place."""
    printed, _ = run(position_table(minilm, 300, 310).programs["positions"].text)
    *lines, last = [NUMBER.findall(line) for line in printed.splitlines()]
    for row, column, cosine in lines:
        assert float(cosine) == pytest.approx(own.similarity[int(row), int(column)], abs=6e-5)
    assert last == ["511", "512"]


def test_one_position(minilm: Bert, own: PositionAnalysis, computed: PositionAnalysis) -> None:
    view = one_position(minilm, 300)
    cosines = drawn(view, "row-300", "y")
    assert np.array_equal(cosines[0], own.similarity[300])
    assert np.array_equal(cosines[1], computed.similarity[300])
    near = nearest_positions(own.similarity, 300, 10)
    assert drawn(view, "row-300", "x")[2].tolist() == near.tolist(), "the dots"
    assert (view.values["most"], view.values["least"]) == (near[0], own.similarity[300].argmin())
    assert np.array_equal(view.to_frame()["cosine of sinusoids"], computed.similarity[300])


def test_is_it_only_the_distance(
    minilm: Bert, own: PositionAnalysis, computed: PositionAnalysis
) -> None:
    view = distance(minilm)
    names = ("explained", "by_smoothness", "explained_sinusoids", "by_chance")
    assert [view.values[name] for name in names] == ["49%", "87%", "100%", "0.4%"]
    means = drawn(view, "by-distance", "y")
    assert np.array_equal(means[0], own.by_distance.mean)
    assert np.array_equal(means[1], computed.by_distance.mean)
    assert np.array_equal(view.to_frame()["cosine 90%"], own.by_distance.high)


def test_lengths(minilm: Bert, own: PositionAnalysis) -> None:
    view = lengths(minilm)
    assert np.array_equal(drawn(view, "norms", "y")[0], own.norms)
    assert view.values["longest"] == own.norms.argmax()
    assert np.array_equal(view.to_frame()["length"], own.norms)


def test_against_sinusoids(minilm: Bert, computed: PositionAnalysis) -> None:
    view = against_sinusoids(minilm)
    assert "smooth, but no more like sinusoids" in str(view.values["answer"])
    names = ("rotation", "rotation_covariances", "rotation_spectrum")
    assert [view.values[name] for name in names] == ["25%", "24–25%", "44–45%"]
    frame = view.to_frame()
    assert frame["R² lowest"].round(2).tolist()[:4] == [0.25, 0.24, 0.44, 0.57]
    assert frame["R² highest"].round(2).tolist()[:4] == [0.25, 0.25, 0.45, 0.58]
    assert frame["step to the next row"][0] == pytest.approx(0.188, abs=0.001)
    arrays = view.programs["sinusoids"].arrays()
    assert np.array_equal(arrays["cosines of sinusoids"], computed.similarity)


@pytest.mark.parametrize("change", CHANGES)
def test_experiments(minilm_encoder: Encoder, change: Change) -> None:
    bert = minilm_encoder.bert
    view = experiments(minilm_encoder, change=change, order=5, shift=40)
    text = tokenize(bert, "The dog bites the man.", "He runs away.")
    changed = changed_text(bert, text, change, shift=40, order=5)
    moved = change_by_layer(
        minilm_encoder.hidden_states(text), minilm_encoder.hidden_states(changed)
    )
    assert drawn(view, "changes")[0] == pytest.approx(moved.T, abs=1e-5)
    assert view.values["moved"] == pytest.approx(moved[-1].mean(), abs=1e-6)
    curves = drawn(view, "changes-compared", "y")
    assert curves[0] == pytest.approx(moved.mean(axis=1), abs=1e-5)
    assert len(curves) == 5
    frame = view.to_frame("changes")
    assert frame["new position"].tolist() == changed.position_ids.tolist()
    letters = ["AB"[segment] for segment in changed.token_type_ids]
    assert frame["new segment"].tolist() == letters
    assert ("order" in view.values) == (change == "shuffle")


def test_one_order_is_among_others(minilm_encoder: Encoder) -> None:
    text = "the dog bit the man"
    drawn = [experiments(minilm_encoder, text, "", order=order).values for order in range(10)]
    moved = [values["moved"] for values in drawn]
    found = [drawn[3][name] for name in ("lowest", "mean_of_orders", "highest")]
    assert found == pytest.approx([np.min(moved), np.mean(moved), np.max(moved)], abs=1e-5)
    assert experiments(minilm_encoder, f"{text} " * 60, "").values["orders"] == 3


def test_a_text_without_room_and_one_without_words(tiny_encoder: Encoder) -> None:
    long = experiments(tiny_encoder, "the cat " * 20, "", "shift", shift=9)
    assert (long.values["cut"], long.values["count"]) == ("26", 16)
    curves = drawn(long, "changes-compared", "y")
    assert curves[0].max() < 1e-6  # a shift of 0 is no change
    with pytest.raises(UserInputError, match="nothing to shuffle"):
        experiments(tiny_encoder, " ", "", "shuffle")
    kept = experiments(tiny_encoder, " ", "", "zero")
    assert "nothing to shuffle" in str(kept.values["reason"])
