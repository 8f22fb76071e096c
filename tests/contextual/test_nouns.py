"""Which nouns tell sentences apart."""

import numpy as np
import pytest

from bertviz_core.calibration.same_sense import measurements
from bertviz_core.contextual.nouns import (
    listed_nouns,
    not_in,
    noun_vectors,
    nouns_near,
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
    of_first, of_second = nouns_near(words, nouns, k=8)
    assert first & set(of_first)
    assert second & set(of_second)
    nearest = nouns_near(words, nouns, k=3, floor=float(measurements(minilm_encoder)["floor"]))
    assert first & set(nearest[0])
    assert second & set(nearest[1])


def test_nouns_that_are_not_near_are_left_out(minilm_encoder: Encoder) -> None:
    """Nineteen of twenty nouns are less near to the words of unrelated sentences than the floor."""
    words = words_in_context(minilm_encoder, LEAD)
    nouns, floor = noun_vectors(minilm_encoder), float(measurements(minilm_encoder)["floor"])
    for word, near in zip(words, nouns_near(words, nouns, k=3, floor=floor), strict=True):
        units = word.vectors / np.linalg.norm(word.vectors, axis=1, keepdims=True)
        cosines = np.einsum("nlh,lh->nl", nouns.vectors, units)[:, 1:].mean(axis=1)
        assert all(cosines[nouns.names.index(noun)] >= floor for noun in near)
        assert (cosines < floor).mean() >= 0.85
    assert nouns_near(words, nouns, floor=1.0) == [[], []]


def test_what_the_sentences_hold_is_never_found(minilm_encoder: Encoder) -> None:
    texts = ["The [snakes] slept near two wolves", "Coding is what the [snake] does"]
    nouns = noun_vectors(minilm_encoder)
    near, _ = nouns_near(words_in_context(minilm_encoder, texts), nouns, k=len(nouns.names))
    assert len(near) > 500
    assert not {"snake", "wolf", "code"} & set(near)
    held = not_in(
        ["code", "berry", "knife", "runner", "cat"], ["Coding berries, two KNIVES. I run"]
    )
    assert held.tolist() == [False, False, False, False, True]
    assert "bus" not in stems("bush")
    begin = not_in(["photography", "physics", "battery", "baker"], [], "Photosynthesis")
    assert begin.tolist() == [False, True, True, True]
    assert not_in(["battery", "baker"], [], "bat").tolist() == [False, True]
