import numpy as np
import pytest

from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.contextual.neighbors import neighbors_in_context
from bertviz_core.contextual.words import marked_words_in_context, words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError


def test_cosines_are_those_of_words_in_context(minilm_encoder: Encoder) -> None:
    pet, coding, love = words_in_context(
        minilm_encoder,
        ["I love my pet [python]", "We code in [python] today", "We [code] in python today"],
    )
    found = neighbors_in_context(minilm_encoder, pet, [pet.text, coding.text])
    assert found.tokens == ("i", "love", "my", "pet", "we", "code", "in", "python", "today")
    assert found.texts.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert found.positions.tolist() == [1, 2, 3, 4, 1, 2, 3, 4, 5]
    assert found.cosines.shape == (7, 9)
    assert found.cosines.dtype == np.float32
    assert found.cosines[:, 7] == pytest.approx(similarity_by_layer(pet, coding), abs=1e-5)
    assert found.cosines[:, 5] == pytest.approx(similarity_by_layer(pet, love), abs=1e-5)
    assert found.centred is None
    best = found.nearest(0, 2)
    assert found.tokens[best[0]] == "python"
    assert found.cosines[0, best[0]] >= found.cosines[0, best[1]]
    first, second = marked_words_in_context(minilm_encoder, ["the [bank] by the [bank]"])
    found = neighbors_in_context(minilm_encoder, first, [first.text])
    assert found.tokens == ("the", "by", "the", "bank")  # the other mark is a neighbour
    assert found.cosines[:, 3] == pytest.approx(similarity_by_layer(first, second), abs=1e-5)


def test_centred(minilm_encoder: Encoder) -> None:
    pet, coding = words_in_context(minilm_encoder, ["my pet [python]", "fast [code]"])
    means = np.random.default_rng(0).normal(0, 0.2, pet.vectors.shape).astype(np.float32)
    found = neighbors_in_context(minilm_encoder, pet, [coding.text], means)
    a, b = (pet.vectors - means)[4], (coding.vectors - means)[4]
    assert found.tokens == ("fast", "code")
    assert found.centred is not None
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert found.centred[4, 1] == pytest.approx(expected, abs=1e-5)
    order = found.nearest(4, 2, centred=True)
    assert found.centred[4, order[0]] == found.centred[4].max()


def test_a_word_alone_has_no_neighbors(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "dog")
    with pytest.raises(UserInputError, match="no token beside “dog”"):
        neighbors_in_context(minilm_encoder, word, [word.text])
