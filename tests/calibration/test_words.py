"""Which words are drawn, the baselines of their pairs against brute force, and their file."""

from pathlib import Path

import numpy as np
import pytest

from bertviz_core.arrays import cosine_matrix
from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import Scales, calibration_sentences, measure, words
from bertviz_core.calibration.percentiles import PERCENTS
from bertviz_core.contextual.marks import with_marks
from bertviz_core.contextual.words import words_in_context
from bertviz_core.disk_cache import kept_file
from bertviz_core.encoder import Encoder
from tests.tiny import SENTENCES

LAYER = 3


def test_content_words_by_hand(minilm: Bert) -> None:
    assert len(set(calibration_sentences())) == len(calibration_sentences()) >= 300
    sentences = ["The dog didn't bark at half-time.", "A dog, an awesomesauce dish; 12 x 3!"]
    found = words.content_words(minilm, [*sentences, "too long " * 13 + "guitar"])
    # "dog" once, nothing of "didn't" and "half-time", no function word, number, letter, or pieces.
    assert {(one.word, sentences.index(one.text)) for one in found} == {
        ("dog", 0),
        ("bark", 0),
        ("dish", 1),
    }


def test_baselines_against_brute_force(minilm: Bert, minilm_encoder: Encoder) -> None:
    scales = words.known(minilm)
    assert scales is not None
    drawn = words.content_words(minilm, calibration_sentences())
    marked = [with_marks(one.text, [(one.start, one.end)]) for one in drawn]
    first = words_in_context(minilm_encoder, marked)
    alone = words_in_context(minilm_encoder, [f"[{one.word}]" for one in drawn])
    assert len(drawn) == words.MAX_WORDS
    texts = np.array([one.text for one in drawn])
    apart = texts[:, None] != texts
    for by_itself, second, counted in ((False, first, np.triu(apart, 1)), (True, alone, apart)):
        scale = scales.between(alone=by_itself)
        assert scale is not None
        left, right = (np.stack([one.vectors[LAYER] for one in side]) for side in (first, second))
        cosines = np.sort(cosine_matrix(left, right)[counted])
        assert scale.quantiles.shape == (7, len(PERCENTS))
        assert scale.pairs == len(cosines)
        assert scale.anisotropy[LAYER] == pytest.approx(cosines.mean(), abs=1e-5)
        wanted = np.linspace(cosines[0], cosines[-1], 101)
        below = 100 * np.searchsorted(cosines, wanted) / len(cosines)
        assert np.abs(scale.percentiles(wanted, LAYER) - below).max() < 0.15
    # Unrelated words are alike inside the model.
    assert scales.between().anisotropy[1:-1].min() > 0.1


def test_too_few_words(tiny_encoder: Encoder) -> None:
    for sentences in ([], ["zzz qqq"], SENTENCES):
        assert measure(tiny_encoder, sentences).by_kind == {}


@pytest.mark.usefixtures("hub_cache")
def test_kept_for_a_model(folder: Path, scales: Scales, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = load_bert(folder)
    assert words.known(tiny) is None
    assert words.keep(tiny, scales)
    again = words.known(tiny)
    for alone, own in scales.by_kind.items():
        np.testing.assert_equal(vars(again.between(alone=alone)), vars(own))
    path = kept_file("words", words.scales_key(tiny))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert words.known(tiny) is None, "damaged"
    path.write_bytes(whole)
    monkeypatch.setattr(words, "CALIBRATION_FILE", words.FUNCTION_WORDS)
    assert words.known(load_bert(folder)) is None
