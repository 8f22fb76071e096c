"""Which nouns tell sentences apart."""

import pytest

from bertviz_core.calibration.same_sense import found_pair_line
from bertviz_core.contextual.leans import over_layers
from bertviz_core.contextual.nouns import (
    listed_nouns,
    not_in,
    noun_vectors,
    nouns_apart,
    stems,
)
from bertviz_core.contextual.word_vectors import words_in_context
from bertviz_core.encoder import Encoder

PYTHON = ["I love my pet [python]", "I love coding in [python]"]
# Written for this test; no shipped set holds them.
LEAD = ["The old pipes were made of [lead].", "Our runners kept the [lead] until the finish."]


def test_the_list() -> None:
    assert listed_nouns() == tuple(sorted(set(listed_nouns())))
    assert 550 <= len(listed_nouns()) <= 650


@pytest.mark.parametrize(
    ("texts", "first", "second"),
    [
        (PYTHON, {"snake", "animal"}, {"programming", "code"}),
        (LEAD, {"copper", "metal"}, {"winner", "victory"}),
    ],
)
def test_the_nouns_of_each_sentence(
    minilm_encoder: Encoder, texts: list[str], first: set[str], second: set[str]
) -> None:
    words, nouns = words_in_context(minilm_encoder, texts), noun_vectors(minilm_encoder)
    found = nouns_apart(words, nouns, k=8)
    assert first & set(found.each[0])
    assert second & set(found.each[1])
    assert found.pair == tuple(found.each[number][0] for number in found.sentences)
    line = found_pair_line(minilm_encoder, words[0].word)
    assert over_layers(found.separation) > line.most


def test_what_the_sentences_hold_is_never_found(minilm_encoder: Encoder) -> None:
    texts = ["The [snakes] slept near two wolves", "Coding is what the [snake] does"]
    nouns = noun_vectors(minilm_encoder)
    found = nouns_apart(words_in_context(minilm_encoder, texts), nouns, k=len(nouns.names))
    assert not {"snake", "wolf", "code"} & set(found.each[0])
    held = not_in(
        ["code", "berry", "knife", "runner", "cat"], ["Coding berries, two KNIVES. I run"]
    )
    assert held.tolist() == [False, False, False, False, True]
    assert "bus" not in stems("bush")
    begin = not_in(["photography", "physics", "battery", "baker"], [], "Photosynthesis")
    assert begin.tolist() == [False, True, True, True]
    assert not_in(["battery", "baker"], [], "bat").tolist() == [False, True]
