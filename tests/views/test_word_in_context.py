"""What is drawn on Word in Context, and percentiles, whose program is not run for every view."""

import re
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.arrays import cosine_matrix
from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales, calibration_sentences, measure
from bertviz_core.calibration.percentiles import cut_percentiles, in_words
from bertviz_core.calibration.same_sense import compare_uses
from bertviz_core.contextual import lean, occlusion, similarity_by_layer
from bertviz_core.contextual.word_vectors import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.senses.occurrences import function_words
from bertviz_core.views.word_in_context import other_words
from bertviz_core.views.word_in_context.comparison import compare
from bertviz_core.views.word_in_context.other_words import influence
from bertviz_core.views.word_in_context.paths import paths
from bertviz_core.views.word_in_context.percentiles import PROGRAM, percentiles
from tests.views.reading import CODING, PET, PYTHON, SPLIT, Typed, drawn, made, run_filled, sent
from tests.views.test_programs import compare_programs

WORDS = (PET, CODING, "snake", "programming")


def test_what_is_drawn_and_moves_with_the_layer(minilm_encoder: Encoder) -> None:
    words = words_in_context(minilm_encoder, WORDS)
    view = made(paths, minilm_encoder, PYTHON, 6)
    for number, word in enumerate(words[:2]):
        for axis, anchor in zip("xy", words[2:], strict=True):
            by_layer = similarity_by_layer(word, anchor)
            assert drawn(view, "plane", axis, number) == pytest.approx(by_layer, abs=1e-5)
    matrix = view.pictures["matrix"].figure
    assert len(matrix.played) == 7
    for layer, frame in enumerate(matrix.played):
        vectors = np.stack([word.vectors[layer] for word in words])
        cosines = cosine_matrix(vectors, vectors)
        assert frame["data"][0]["z"] == pytest.approx(cosines, abs=1e-6)
        if layer == 6:
            assert drawn(view, "matrix", "z") == pytest.approx(cosines, abs=1e-6)
            # The line where a word leans to neither goes through the middle of both.
            line, (x, y) = view.pictures["plane"].figure.layout.shapes[0], cosines[:2, 2:].mean(0)
            assert line.y0 - line.x0 == pytest.approx(y - x, abs=1e-5)


def test_other_numbers_of_anchors(minilm_encoder: Encoder) -> None:
    """One anchor makes no plane; of three, the two that separate most are shown."""
    one = compare(minilm_encoder, (PET, CODING), ("turtle",))
    assert (one.names[2:], one.axes) == (["turtle"], ())
    assert set(made(paths, minilm_encoder, Typed((PET, CODING), ("turtle",)), 6).pictures) == {
        "paths",
        "matrix",
    }
    three = compare(minilm_encoder, (PET, CODING), ("day", *PYTHON.anchors))
    assert three.axes == PYTHON.anchors
    words = words_in_context(minilm_encoder, WORDS)
    leans = lean(words[:2], words[2:])
    assert three.uses[0].leans == pytest.approx(leans, abs=1e-6)
    # A word that is there once is compared with itself alone.
    lone = compare(minilm_encoder, (PET,), PYTHON.anchors)
    (alone,) = words_in_context(minilm_encoder, ["python"])
    assert lone.uses[0].leans == pytest.approx(lean(words[:1], words[2:], alone), abs=1e-6)


def test_many_context_words_are_cut(
    minilm_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(occlusion, "MAX_WORDS", 5)
    cut = made(influence, minilm_encoder, Typed(("a b c d [dog] e f g h",), ("cat",)), 6)
    assert (cut.values["total"], cut.values["count"], len(cut.to_frame())) == (8, 5, 5)


@pytest.mark.parametrize(
    ("line", "opening"),
    [
        (None, "The largest change:"),
        (2, "No single word does it:"),
        (0.06, "<b>pet</b> matters most:"),
        (0, "<b>pet</b> and <b>my</b> matter most:"),
    ],
)
def test_a_word_matters_where_it_changes_more_than_in_unrelated_sentences(
    scales: Scales, minilm_encoder: Encoder, monkeypatch: pytest.MonkeyPatch, line, opening: str
) -> None:  # fmt: skip
    monkeypatch.setattr(other_words, "TIED", 0.01 if line else 1)
    lines = np.full_like(scales.influence, np.nan if line is None else line)
    given = scales._replace(influence=lines)
    view = made(influence, minilm_encoder, PYTHON, 6, given)
    assert re.sub(r"</?bdi[^>]*>", "", view.findings[0]).startswith(opening)
    assert view.values["strongest"] == "pet"
    assert view.values["line"] == ("" if line is None else f"{line:.3f}")


def test_without_anchors_the_word_is_compared_with_itself(minilm_encoder: Encoder) -> None:
    """Beside it the cosine of the three words on each side, and what nine in ten pairs have."""
    view = made(paths, minilm_encoder, Typed((PET, CODING)), 6)
    pet, coding = words_in_context(minilm_encoder, (PET, CODING))
    assert drawn(view, "paths") == pytest.approx(similarity_by_layer(pet, coding), abs=1e-5)
    states = [minilm_encoder.hidden_states(word.text) for word in (pet, coding)]
    beside = [
        state[:, 2:5].mean(axis=1) for state in states
    ]  # of "love my pet" and "love coding in"
    by_hand = [
        cosine_matrix(np.stack(pair), np.stack(pair))[0, 1] for pair in zip(*beside, strict=True)
    ]
    dotted, band = (np.array(trace["y"], float) for trace in sent(view, "paths")["data"][2:])
    assert dotted == pytest.approx(by_hand, abs=1e-5)
    assert (band[:7] == 1).all()
    assert 0.7 < band[7:].min() < band[7:].max() < 0.95
    # Different words, and a word alone, have no such band.
    for one in (("my [dog]", "a [cat]"), ("my [dog]",)):
        assert len(sent(made(paths, minilm_encoder, Typed(one), 6), "paths")["data"]) == 3


def test_the_picture_has_what_is_said(minilm_encoder: Encoder) -> None:
    """The marks of the sentences, and the band that nine in ten pairs of one meaning are within."""
    view = made(paths, minilm_encoder, PYTHON, 6)
    uses = compare_uses(minilm_encoder, PYTHON.sentences, PYTHON.anchors)
    assert uses.line is not None
    table = view.to_frame("similarity")
    assert table["separation"].to_numpy() == pytest.approx(uses.separations, abs=1e-5)
    assert table["share of one meaning"].to_numpy() == pytest.approx(uses.by_layer, abs=1e-3)
    marks = [[drawn(view, "plane", axis, trace)[0] for axis in "xy"] for trace in (4, 5)]
    (first_x, first_y), (second_x, second_y) = marks
    apart = first_x - first_y - second_x + second_y
    assert apart == pytest.approx(uses.sentence_separation, abs=1e-5)
    line, band = sent(view, "plane")["layout"]["shapes"]
    corners = [float(corner.split(",")[1]) for corner in band["path"].strip("MZ").split("L")]
    assert line["y0"] - corners[0] == pytest.approx(uses.line.by_layer[6] / 2, abs=1e-5)
    by = view.to_frame("leans")["by"].to_numpy()
    assert by.sum() == pytest.approx(uses.separation, abs=1e-5)


@pytest.mark.parametrize(("way", "pooling"), [("mask", "first"), ("drop", "last")])
def test_programs_of_other_choices(
    minilm_encoder: Encoder, tiny_encoder: Encoder, tmp_path: Path, way, pooling,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    sentences = ("an [awesomesauce] on her flabbergasted dog",)
    split = SPLIT._replace(sentences=sentences, pooling=pooling)
    for view in (
        made(influence, minilm_encoder, split, 3, without=way),
        made(paths, minilm_encoder, split, 2),
    ):
        compare_programs(view, tiny_encoder)


def test_the_percentile_scale(scales: Scales, minilm_encoder: Encoder) -> None:
    view = made(percentiles, minilm_encoder, PYTHON, 6, scales)
    scale, table = scales.baseline(alone=True), view.to_frame()
    pet, _, snake, _ = words_in_context(minilm_encoder, WORDS)
    by_layer = similarity_by_layer(pet, snake)
    assert view.values["percentile"] == in_words(scale, by_layer[6], 6) != ""
    expected = [scale.percentile(cosine, at) for at, cosine in enumerate(by_layer)]
    assert table["percentile"].tolist() == cut_percentiles(expected).tolist()
    assert table["50% below"].to_numpy() == pytest.approx(scale.quantiles[:, 59])
    # Over the layers, the pair on the middle 90% of unrelated ones.
    assert drawn(view, "percentile-scale", trace=1) == pytest.approx(by_layer, abs=1e-5)
    upper, lower = drawn(view, "percentile-scale").reshape(2, -1)
    for edge, percent in ((upper, 95), (lower[::-1], 5)):
        below = [float(scale.percentile(one, at)) for at, one in enumerate(edge)]
        assert below == pytest.approx([percent] * len(edge), abs=0.1)
    # Two words in sentences have a scale of their own.
    two = made(percentiles, minilm_encoder, PYTHON, 6, scales, against="2 python")
    assert two.to_frame()["mean cosine"].to_numpy() == pytest.approx(scales.baseline().anisotropy)
    split = made(percentiles, minilm_encoder, SPLIT, 6, scales)
    assert "one piece" in str(split.values["percentile"])


@pytest.mark.parametrize("alone", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_the_program_of_the_scale(minilm: Bert, minilm_encoder: Encoder, alone: bool) -> None:
    sentences = list(calibration_sentences())[:12]
    scale = measure(minilm_encoder, sentences).baseline(alone=alone)
    assert scale is not None
    cosine = round(float(scale.quantiles[5, 40]), 6)
    words = " ".join(function_words())
    given = {"sentences": sentences, "function_words": words, "alone": alone}
    printed, _ = run_filled(PROGRAM, minilm, layer=5, cosine=cosine, **given)
    found = re.search(r"(\d+) pairs, mean (\S+), (\S+) percent", printed)
    assert found is not None
    assert int(found[1]) == scale.pairs
    assert float(found[2]) == pytest.approx(scale.anisotropy[5], abs=2e-4)
    assert float(found[3]) == pytest.approx(scale.percentile(cosine, 5), abs=0.2)
