"""Every stop's claim, judged for the embedded model and for a random BERT, by numbers."""

import re
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.showable import filled
from bertviz_core.ui.tour import stops
from bertviz_core.ui.tour.stops import CANNOT_TELL, STOPS, Answer, python_among_nouns
from bertviz_core.views.view import View

NUMBERS = range(1, len(STOPS) + 1)
# Stops whose condition does not hold for a model; None where the model cannot be judged.
OTHERWISE: dict[str, dict[int, bool | None]] = {
    "all-MiniLM-L6-v2": {},
    "tiny-bert": {
        **{2: False, 5: False, 9: False},
        **{7: None, 8: None, 11: None},
    },
}
StopOn = Callable[[int, Encoder], Answer]


@pytest.fixture(scope="module")
def answer(minilm_encoder: Encoder, tiny_encoder: Encoder, scales: Scales) -> StopOn:
    """What a stop says of a model whose encoder is loaded; of the tiny one nothing is measured."""
    encoders = {encoder.bert.name: encoder for encoder in (minilm_encoder, tiny_encoder)}

    def wait(bert: Bert) -> Scales:
        return scales if bert is minilm_encoder.bert else Scales({})

    @cache
    def answered(number: int, encoder: Encoder) -> Answer:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stops, "SharedEncoder", lambda bert: encoders[bert.name])
            patch.setattr(stops, "computed", SimpleNamespace(SCALES=SimpleNamespace(wait=wait)))
            return STOPS[number - 1].answer(encoder.bert)

    return answered


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_said_of_a_model(
    number: int, answer: StopOn, minilm_encoder: Encoder, tiny_encoder: Encoder
) -> None:
    """Both sentences can be filled in with the numbers of either model."""
    for encoder in (minilm_encoder, tiny_encoder):
        given = answer(number, encoder)
        assert given.holds == OTHERWISE[encoder.bert.name].get(number, True)
        sentences = [filled(given.why.template, given.why.values)]
        if given.holds is not None:
            assert given.framed().pictures.keys() <= given.view.pictures.keys()
            assert given.framed().pictures or not given.view.pictures
            both = (given.stop.why, given.stop.otherwise)
            sentences += [filled(template, given.numbers) for template in both]
        assert not any("nan" in re.split(r"\W", sentence) for sentence in sentences)


KNOWN: dict[int, dict[str, Any]] = {
    # 70%: what Input Embeddings draws of [CLS], held to the weights in tests of shares.
    1: {"cls_position": pytest.approx(0.7026, abs=1e-4)},
    2: {"word_pieces": "awesome ##sau ##ce"},
    4: {"correlation": pytest.approx(0.43, abs=0.005)},
    5: {"changed": True, "cosine": pytest.approx(0.942, abs=1e-3)},
    6: {"base_total": 109_482_240, "base_in_matrices": 109_360_128, "total": "22,713,216"},
    7: {"nearest": "dogs", "nearest_2": "right", "nearest_3": "tuesday",
        "closest": "dogs canine puppy"},
    # Two words' leans of two sentences add up to 0.
    8: {"first": 1, "layers": 6, "nouns": pytest.approx(0.18, abs=0.02),
        "same_sense": pytest.approx(0.14, abs=5e-3), "apart": pytest.approx(0.383, abs=1e-3),
        "lean": pytest.approx(0.383 / 2, abs=1e-3)},
    9: {"first": pytest.approx(1, abs=1e-6)},
    # [CLS] the king spoke to queen [SEP], on 8 positions and in one segment
    12: {"words": 7, "all_words": 30522, "positions": 8, "segments": 1},
}  # fmt: skip


@pytest.mark.parametrize("number", KNOWN)
def test_numbers(number: int, answer: StopOn, minilm_encoder: Encoder) -> None:
    named = answer(number, minilm_encoder).numbers
    assert {name: named[name] for name in KNOWN[number]} == KNOWN[number]


def test_what_a_model_lacks_is_said(monkeypatch: pytest.MonkeyPatch, minilm: Bert) -> None:
    """By the view that is refused, or where a number is missing."""

    def refuse(bert: Bert) -> View:
        raise UserInputError("There is {none}.")

    for view, problem in ((refuse, "There is {none}."), (lambda bert: View(), CANNOT_TELL)):
        monkeypatch.setattr(stops, "segments", view)
        answer = STOPS[4].answer(minilm)
        assert answer.holds is None
        assert filled(answer.why.template, answer.why.values, lambda text, _: text) == problem
        assert answer.verdict == answer.truth == "not that simple"
        assert answer.is_right("false") is None


@pytest.mark.parametrize("word", ["peach", "planet", "hamster"])
def test_a_word_with_one_meaning_does_not_mean_two_things(
    word: str, minilm_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each leans to snake as a pet and to programming in coding, as python does."""
    monkeypatch.setattr(stops, "WORD", word)
    # Not the result that is kept for python.
    named = python_among_nouns.__wrapped__(minilm_encoder)  # type: ignore[attr-defined]
    assert named["lean"] > 0
    assert not STOPS[7].holds(named)


def test_a_cosine_of_06(answer: StopOn, minilm_encoder: Encoder, scales: Scales) -> None:
    """It is compared with 95% of the unrelated pairs of the model, at every layer."""
    baseline = scales.baseline()
    assert baseline is not None
    named = answer(11, minilm_encoder).numbers
    assert named["most"] == pytest.approx(np.max(baseline.exceeded(95)))
    for most, holds in ((0.59, True), (0.61, False)):
        assert STOPS[10].holds({"most": most}) is holds
