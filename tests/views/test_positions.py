"""The views of the page Positions and Segments, as data: their numbers are the core's."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.positions.changes import CHANGES, Change, change_by_layer, changed_text
from bertviz_core.positions.table import (
    PositionAnalysis,
    analyse_positions,
)
from bertviz_core.tokens import tokenize
from bertviz_core.views.positions_and_segments.experiments import experiments
from bertviz_core.views.positions_and_segments.position_table import position_table
from bertviz_core.views.positions_and_segments.segments import segments
from tests.figures.test_points import pixels
from tests.views.reading import drawn, traces


@pytest.fixture(scope="module")
def own(minilm: Bert) -> PositionAnalysis:
    return analyse_positions(minilm.tables.position_embeddings)


def test_the_headline_frames_two_positions(minilm: Bert, own: PositionAnalysis) -> None:
    view = position_table(minilm, 300, 310)
    assert view.values["cosine"] == own.similarity[300, 310]
    assert (view.values["next_door"], view.values["count"]) == (511, 512)
    assert view.values["most"] == own.nearest[300]
    assert view.values["least"] == own.similarity[300].argmin()
    whole = view.pictures["matrix"].figure
    assert pixels(whole.data[0].source).shape[:2] == (512, 512)
    assert whole.layout.yaxis.range == (511.5, -0.5)
    assert whole.layout.shapes[0].x0 == 277.5
    (window,) = traces(view, "matrix-window", "z")
    assert np.array_equal(window, own.similarity[268:332, 278:342])
    frame = view.to_frame()
    assert frame["position"].tolist() == list(range(268, 332))
    assert np.array_equal(frame["310"], own.similarity[268:332, 310])


@pytest.mark.parametrize("change", CHANGES)
def test_experiments(minilm_encoder: Encoder, change: Change) -> None:
    bert = minilm_encoder.bert
    view = experiments(minilm_encoder, change=change, order=5, shift=40)
    text = tokenize(bert, "The dog bites the man.", "He runs away.")
    changed = changed_text(bert, text, change, shift=40, order=5)
    moved = change_by_layer(
        minilm_encoder.hidden_states(text), minilm_encoder.hidden_states(changed)
    )
    assert drawn(view, "changes", "z") == pytest.approx(moved.T, abs=1e-5)
    assert view.values["moved"] == pytest.approx(moved[-1].mean(), abs=1e-6)
    assert drawn(view, "changes-compared") == pytest.approx(moved.mean(axis=1), abs=1e-5)


def test_a_text_without_room_and_one_without_words(tiny_encoder: Encoder) -> None:
    long = experiments(tiny_encoder, "the cat " * 20, "", "shift", shift=9)
    assert long.values["cut"] == "26"
    curves = drawn(long, "changes-compared", "y")
    assert curves[0].max() < 1e-6  # a shift of 0 is no change
    with pytest.raises(UserInputError, match="nothing to shuffle"):
        experiments(tiny_encoder, " ", "", "shuffle")
    kept = experiments(tiny_encoder, " ", "", "zero")
    assert "nothing to shuffle" in str(kept.values["reason"])


def test_segments(minilm: Bert) -> None:
    values, frame = segments(minilm).values, segments(minilm).to_frame()
    first, second = minilm.tables.token_type_embeddings.astype(np.float64)
    norms = [np.linalg.norm(row) for row in (first, second, second - first)]
    named = [values[f"length_{name}"] for name in ("a", "b", "difference")]
    assert named == pytest.approx(norms, rel=1e-6)
    assert values["cosine"] == pytest.approx(first @ second / norms[0] / norms[1])
    assert frame["B − A"].to_numpy() == pytest.approx((second - first)[frame["dimension"]])
    assert (np.diff(np.abs(frame["B − A"])) <= 0).all()
