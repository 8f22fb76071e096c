"""Pairs judged by people: reading them, comparing them, and how well a cosine agrees."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.sense_pairs import SensePair, auc_by_layer, pair_similarities, read_sense_pairs
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError

SAMPLE = Path(__file__).parent / "data" / "word_pairs.jsonl"


@pytest.fixture(scope="module")
def pairs() -> list[SensePair]:
    return read_sense_pairs(SAMPLE.read_text(encoding="utf-8").splitlines())


@pytest.fixture(scope="module")
def similarities(minilm_encoder: Encoder, pairs: list[SensePair]) -> np.ndarray:
    return pair_similarities(minilm_encoder, pairs)


def line(**changes: object) -> str:
    entry = {"sentence1": "a cat", "sentence2": "my cat", "start1": 2, "end1": 5,
             "start2": 3, "end2": 6, "label": True}  # fmt: skip
    return json.dumps(entry | changes)


def test_reading() -> None:
    same, other = read_sense_pairs([line(), "", line(label="F", word="cat")])
    assert same.first.word == same.second.word == "cat"
    assert (same.same, other.same) == (True, False)


@pytest.mark.parametrize(
    "bad",
    ["{", "[]", "3", line(label=None), line(start1=-1), line(end2=7), line(start1=5),
     line(start1="2"), line(sentence1=4), '{"label": true}'],
)  # fmt: skip
def test_a_bad_line_is_named(bad: str) -> None:
    with pytest.raises(UserInputError, match="Line 2"):
        read_sense_pairs([line(), bad])


def test_the_sample_is_balanced_and_marks_the_same_form(pairs: list[SensePair]) -> None:
    assert len(pairs) >= 100
    assert sum(pair.same for pair in pairs) == len(pairs) / 2
    assert all(pair.first.word == pair.second.word for pair in pairs)


def test_similarities_are_those_of_words_in_context(
    minilm_encoder: Encoder, pairs: list[SensePair], similarities: np.ndarray
) -> None:
    for place in (0, 31, 139):
        marked = [
            f"{s.text[: s.start]}[{s.word}]{s.text[s.end :]}"
            for s in (pairs[place].first, pairs[place].second)
        ]
        expected = similarity_by_layer(*words_in_context(minilm_encoder, marked))
        assert similarities[place] == pytest.approx(expected, abs=1e-5)


def test_auc_by_hand() -> None:
    # Of the couples (0.9, 0.5), (0.9, 0.6), (0.55, 0.5), (0.55, 0.6), three are in order.
    column = np.float32([0.9, 0.5, 0.55, 0.6])
    same = [True, False, True, False]
    found = auc_by_layer(np.stack([column, -column, np.ones(4, np.float32)], axis=1), same)
    assert found == pytest.approx([0.75, 0.25, 0.5])
    with pytest.raises(UserInputError, match="both kinds"):
        auc_by_layer(column[:, None], [True] * 4)


def test_same_senses_are_nearer_in_the_middle_and_not_at_the_input(
    pairs: list[SensePair], similarities: np.ndarray
) -> None:
    found = auc_by_layer(similarities, [pair.same for pair in pairs])
    # With 70 pairs of each kind, chance alone strays by 0.05 (one standard error).
    assert abs(found[0] - 0.5) < 0.1
    assert found[3:6].min() > 0.65
