"""Sentences compared with each other: leans, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from bertviz_core.arrays import Array
from bertviz_core.contextual import WordInContext, lean, word_in_context
from bertviz_core.contextual.leans import leans_of, over_layers
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError

# Two layers. The anchors are the axes, so that a cosine is a number of a vector of length 1.
ANCHORS = np.float32([[[1, 0], [1, 0]], [[0, 1], [0, 2]]])
WORDS = np.float32([[[1, 0], [0.6, 0.8]], [[0, 1], [8, 6]], [[0, 0], [0, 5]]])


@pytest.fixture(scope="module")
def word(tiny_encoder: Encoder) -> WordInContext:
    return word_in_context(tiny_encoder, "dog")


def of(word: WordInContext, vectors: Array) -> list[WordInContext]:
    return [replace(word, vectors=own) for own in vectors]


def test_leans_by_hand(word: WordInContext) -> None:
    found = lean(of(word, WORDS), of(word, ANCHORS))
    third = 1 / 3  # the mean of layer 0: cosines 1, 0, 0; a vector of zeros has the cosine 0
    assert found[..., 0] == pytest.approx(
        np.array([[1 - third, -third], [-third, 1 - third], [-third, -third]])
    )
    # Layer 1: cosines 0.6, 0.8, 0 and 0.8, 0.6, 1, of means 1.4/3 and 0.8.
    assert found[..., 1] == pytest.approx(
        np.array([[0.6 - 1.4 / 3, 0], [0.8 - 1.4 / 3, -0.2], [-1.4 / 3, 0.2]]), abs=1e-6
    )
    assert found.sum(axis=0) == pytest.approx(np.zeros((2, 2)), abs=1e-6)
    assert found.dtype == np.float32
    assert not found.flags.writeable
    assert (leans_of(WORDS, ANCHORS) == found).all()


def test_one_sentence_is_compared_with_the_word_by_itself(word: WordInContext) -> None:
    (alone,) = of(word, np.float32([[[3, 4], [0, 1]]]))
    found = lean(of(word, WORDS[:1]), of(word, ANCHORS), alone=alone)
    assert found == pytest.approx(np.array([[[0.4, 0.6], [-0.8, -0.2]]]), abs=1e-6)


def test_what_cannot_be_compared(word: WordInContext) -> None:
    words, (other,) = of(word, WORDS), of(word, np.float32([[[1, 0, 0]]]))
    for few in ([], words[:1]):
        with pytest.raises(UserInputError, match=rf"two words or more.*{len(few)} and 1"):
            lean(few, words[:1])
    with pytest.raises(UserInputError, match=r"and an anchor.*3 and 0"):
        lean(words, [])
    for given in ((words, [other], None), (words[:1], words, other)):
        with pytest.raises(UserInputError, match=r"\(1, 3\) and \(2, 2\); compare words of one"):
            lean(*given)


def test_over_the_layers_the_input_does_not_count() -> None:
    assert over_layers(np.float32([[9, 1, 3], [9, -1, 0]])).tolist() == [2, -0.5]
