from dataclasses import replace

import numpy as np
import pytest

from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.contextual.words import (
    marked_words_in_context,
    similarity_matrix,
    words_in_context,
)
from bertviz_core.encoder import POOLINGS, Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize

PET, CODING = "I love my pet [python]", "I love coding in [python]"


def test_python_the_pet_and_python_the_language(minilm_encoder: Encoder) -> None:
    pet, coding, snake, programming = words_in_context(
        minilm_encoder, [PET, CODING, "snake", "programming"]
    )
    last = {
        "pet-snake": similarity_by_layer(pet, snake)[-1],
        "coding-snake": similarity_by_layer(coding, snake)[-1],
        "pet-programming": similarity_by_layer(pet, programming)[-1],
        "coding-programming": similarity_by_layer(coding, programming)[-1],
    }
    assert {name: round(float(value), 3) for name, value in last.items()} == {
        "pet-snake": 0.507,
        "coding-snake": 0.275,
        "pet-programming": 0.257,
        "coding-programming": 0.408,
    }


def test_the_input_embedding_knows_no_context_but_the_position(minilm_encoder: Encoder) -> None:
    # Both stand at position 5, so layer 0 is one and the same vector.
    pet, coding = words_in_context(minilm_encoder, [PET, CODING])
    assert pet.token_positions == coding.token_positions == (5,)
    assert similarity_by_layer(pet, coding)[0] == pytest.approx(1, abs=1e-6)
    assert similarity_by_layer(pet, coding)[-1] < 0.9


@pytest.mark.parametrize("pooling", POOLINGS)
def test_pooling_over_pieces(minilm_encoder: Encoder, pooling) -> None:
    word = word_in_context(minilm_encoder, "such [awesomesauce] here", pooling)
    states = minilm_encoder.hidden_states(tokenize(minilm_encoder.bert, word.sentence))
    assert word.tokens == ("awesome", "##sau", "##ce")
    assert word.token_positions == (2, 3, 4)
    pieces = states[:, 2:5]
    expected = {
        "mean": pieces.mean(axis=1),
        "first": pieces[:, 0],
        "last": pieces[:, 2],
        "max": pieces.max(axis=1),
    }[pooling]
    assert np.abs(word.vectors - expected).max() < 1e-6
    assert word.vectors.shape == (7, 384)
    assert word.vectors.dtype == np.float32


def test_characters_decide_which_pieces_belong(minilm_encoder: Encoder) -> None:
    assert word_in_context(minilm_encoder, "the [bank]'s bank").token_positions == (2,)
    assert word_in_context(minilm_encoder, "the bank's [bank]").token_positions == (5,)
    assert word_in_context(minilm_encoder, "an [ice cream] cone").tokens == ("ice", "cream")
    assert word_in_context(minilm_encoder, "un[believ]able").tokens == ("unbelievable",)


def test_the_seed_notebooks_way_of_doing_it(minilm_encoder: Encoder) -> None:
    """Position 5 of the sentence, position 1 of the lone word, scikit-learn's cosine."""
    from sklearn.metrics.pairwise import cosine_similarity

    bert = minilm_encoder.bert
    pet = minilm_encoder.hidden_states(tokenize(bert, "I love my pet python"))[-1][5]
    snake = minilm_encoder.hidden_states(tokenize(bert, "snake"))[-1][1]
    ours = similarity_by_layer(*words_in_context(minilm_encoder, [PET, "snake"]))[-1]
    assert ours == pytest.approx(cosine_similarity(pet[None], snake[None])[0, 0], abs=1e-6)


def test_similarity_by_hand(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "snake")
    a = replace(word, vectors=np.float32([[1, 0], [3, 4], [0, 0]]))
    b = replace(word, vectors=np.float32([[0, 2], [4, 3], [1, 0]]))
    assert similarity_by_layer(a, b).tolist() == pytest.approx([0, 0.96, 0])
    assert similarity_matrix([a, b], 1) == pytest.approx(np.float32([[1, 0.96], [0.96, 1]]))


def test_a_word_beyond_the_cut_is_refused(minilm_encoder: Encoder) -> None:
    with pytest.raises(UserInputError, match="beyond the 512 tokens"):
        word_in_context(minilm_encoder, "dog " * 600 + "[python]")
    at_the_edge = word_in_context(minilm_encoder, "dog " * 509 + "[python] " + "dog " * 50)
    assert at_the_edge.token_positions == (510,)


def test_a_word_cut_in_two_is_refused(minilm_encoder: Encoder) -> None:
    with pytest.raises(UserInputError, match="beyond the 512 tokens"):
        word_in_context(minilm_encoder, "dog " * 509 + "[awesomesauce]")


@pytest.mark.parametrize(
    ("marked", "message"),
    [("[\u200b] dog", "no character that BERT reads"), ("two words", "has 2 words")],
)
def test_refuses(minilm_encoder: Encoder, marked: str, message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        word_in_context(minilm_encoder, marked)


def test_refuses_an_unknown_pooling(minilm_encoder: Encoder) -> None:
    with pytest.raises(UserInputError, match="no pooling “sum”; choose mean, first, last, max"):
        word_in_context(minilm_encoder, "dog", "sum")  # type: ignore[arg-type]


def test_words_of_two_models_are_not_compared(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "dog")
    other = replace(word, vectors=word.vectors[:, :8])
    with pytest.raises(UserInputError, match=r"shape \(7, 384\) and \(7, 8\)"):
        similarity_by_layer(word, other)


def test_several_marks_in_a_sentence(minilm_encoder: Encoder) -> None:
    marked = ["the [bank] by the [bank]", "snake", "my [awesomesauce] [pet]"]
    found = marked_words_in_context(minilm_encoder, marked)
    assert [word.word for word in found] == ["bank", "bank", "snake", "awesomesauce", "pet"]
    assert [word.token_positions for word in found] == [(2,), (5,), (1,), (2, 3, 4), (5,)]
    assert found[0].text is found[1].text
    for word, alone in (
        (found[0], "the [bank] by the bank"),
        (found[1], "the bank by the [bank]"),
        (found[3], "my [awesomesauce] pet"),
    ):
        expected = word_in_context(minilm_encoder, alone)
        assert np.abs(word.vectors - expected.vectors).max() < 1e-5
        assert np.abs(word.pieces - expected.pieces).max() < 1e-5
    assert len(marked_words_in_context(minilm_encoder, marked, most=3)) == 3
    with pytest.raises(UserInputError, match="has 2 words"):
        marked_words_in_context(minilm_encoder, ["two words"])


def test_a_sentence_typed_twice_is_two_words(minilm_encoder: Encoder) -> None:
    first, second = words_in_context(minilm_encoder, [PET, PET])
    assert np.array_equal(first.vectors, second.vectors)
