"""Which words are drawn, the baselines of their pairs against brute force, and their file."""

from pathlib import Path

import numpy as np
import pytest

from bertviz_core.arrays import cosine_matrix
from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import Scales, calibration_sentences, influence, measure, word_scales
from bertviz_core.calibration.percentiles import PERCENTS
from bertviz_core.contextual.marks import read_mark, with_marks
from bertviz_core.contextual.occlusion import influence as change_to
from bertviz_core.contextual.occlusion import occluded_contexts
from bertviz_core.contextual.word_vectors import words_in_context, words_of_marks
from bertviz_core.disk_cache import kept_file
from bertviz_core.encoder import Encoder
from tests.tiny import SENTENCES

LAYER = 3


def test_content_words_by_hand(minilm: Bert) -> None:
    assert len(set(calibration_sentences())) == len(calibration_sentences()) >= 300
    sentences = ["The dog didn't bark at half-time.", "A dog, an awesomesauce dish; 12 x 3!"]
    found = word_scales.content_words(minilm, [*sentences, "too long " * 13 + "guitar"])
    # "dog" once, nothing of "didn't" and "half-time", no function word, number, letter, or pieces.
    assert {(one.word, sentences.index(one.text)) for one in found} == {
        ("dog", 0),
        ("bark", 0),
        ("dish", 1),
    }


def test_baselines_against_brute_force(minilm: Bert, minilm_encoder: Encoder) -> None:
    scales = word_scales.known(minilm)
    assert scales is not None
    drawn = word_scales.content_words(minilm, word_scales.scale_sentences())
    marked = [with_marks(one.text, [one]) for one in drawn]
    first = words_in_context(minilm_encoder, marked)
    alone = words_in_context(minilm_encoder, [f"[{one.word}]" for one in drawn])
    assert len(drawn) == word_scales.MAX_WORDS
    texts = np.array([one.text for one in drawn])
    apart = texts[:, None] != texts
    for by_itself, second, counted in ((False, first, np.triu(apart, 1)), (True, alone, apart)):
        scale = scales.baseline(alone=by_itself)
        assert scale is not None
        left, right = (np.stack([one.vectors[LAYER] for one in side]) for side in (first, second))
        cosines = np.sort(cosine_matrix(left, right)[counted])
        assert scale.quantiles.shape == (7, len(PERCENTS))
        assert scale.pairs == len(cosines)
        assert scale.anisotropy[LAYER] == pytest.approx(cosines.mean(), abs=1e-5)
        wanted = np.linspace(cosines[0], cosines[-1], 101)
        below = 100 * np.searchsorted(cosines, wanted) / len(cosines)
        assert np.abs([scale.percentile(one, LAYER) for one in wanted] - below).max() < 0.15
    # Unrelated words are alike inside the model.
    assert scales.baseline().anisotropy[1:-1].min() > 0.1


def test_what_one_word_changes_where_nothing_is_to_be_found(
    minilm_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The 90th percentile over sentences and anchors of the largest change, as it is defined."""
    monkeypatch.setattr(influence, "MIN_SENTENCES", 2)
    monkeypatch.setattr(influence, "ANCHORS", 2)
    marks = [read_mark(one) for one in ("The [dog] ate snow", "A [train] came late, and it rained")]
    snow, piano, river = words_in_context(minilm_encoder, ["snow", "piano", "river"])
    followed = influence.to_follow(minilm_encoder.bert, [*marks, read_mark("[late]")])
    assert followed == [(0, mark) for mark in marks]
    changes = influence.largest_changes(minilm_encoder, followed, [snow, piano, river])
    assert [each.shape for each in changes] == [(2, 2, 2, 7), (0, 2, 2, 7), (0, 2, 2, 7)]
    lines = influence.lines(changes)
    assert lines.shape == (3, 2, 7)
    assert np.isnan(lines[1:]).all()
    largest, anchors = [], [(piano, river), (snow, piano)]  # one word is in the first sentence
    for word, own in zip(words_of_marks(minilm_encoder, marks), anchors, strict=True):
        changed = occluded_contexts(minilm_encoder, word, "drop")
        largest += [np.abs(change_to(word, changed, anchor)[6]).max() for anchor in own]
    assert lines[0, 1, 6] == pytest.approx(np.percentile(largest, 90), abs=1e-5)


def test_no_line_without_a_mask_or_for_other_lengths(scales: Scales) -> None:
    assert scales.largest_change("drop", 12).shape == (7,)
    assert scales.largest_change("mask", 46) is scales.largest_change("mask", 4) is None
    nothing = scales._replace(influence=np.full_like(scales.influence, np.nan))
    assert nothing.largest_change("mask", 12) is None


def test_too_few_words(tiny_encoder: Encoder) -> None:
    for sentences in ([], ["zzz qqq"], SENTENCES):
        assert measure(tiny_encoder, sentences) == Scales({})


@pytest.mark.usefixtures("hub_cache")
def test_kept_for_a_model(folder: Path, scales: Scales, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = load_bert(folder)
    assert word_scales.known(tiny) is None
    assert word_scales.keep(tiny, scales)
    again = word_scales.known(tiny)
    for alone, own in scales.by_kind.items():
        np.testing.assert_equal(vars(again.baseline(alone=alone)), vars(own))
    path = kept_file("words", word_scales.scales_key(tiny))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert word_scales.known(tiny) is None, "damaged"
    path.write_bytes(whole)
    monkeypatch.setattr(word_scales, "CALIBRATION_FILE", word_scales.TEXTS / "news.txt")
    assert word_scales.known(load_bert(folder)) is None
