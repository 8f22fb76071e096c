from dataclasses import replace

import numpy as np
import pytest

from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.contextual.marks import around, read_mark, read_marks
from bertviz_core.contextual.word_vectors import (
    POOLINGS,
    compare_poolings,
    piece_similarity,
    words_in_context,
    words_of_marks,
)
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.forward import batch_tensors
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize


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


def test_similarity_by_hand(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "snake")
    a = replace(word, vectors=np.float32([[1, 0], [3, 4], [0, 0]]))
    b = replace(word, vectors=np.float32([[0, 2], [4, 3], [1, 0]]))
    assert similarity_by_layer(a, b).tolist() == pytest.approx([0, 0.96, 0])


@pytest.mark.parametrize(
    "marked",
    ["dog " * 600 + "[python]", "dog " * 509 + "[awesomesauce]", "[\u200b] dog", "two words"],
    ids=["beyond the cut", "cut in two", "no character", "no mark"],
)
def test_refuses(minilm_encoder: Encoder, marked: str) -> None:
    with pytest.raises(UserInputError):
        word_in_context(minilm_encoder, marked)


def test_what_is_just_read_and_what_cannot_be_compared(minilm_encoder: Encoder) -> None:
    word = word_in_context(minilm_encoder, "dog " * 509 + "[python] " + "dog " * 50)
    assert word.token_positions == (510,)
    with pytest.raises(UserInputError, match="mean, first, last, max"):
        word_in_context(minilm_encoder, "dog", "sum")  # type: ignore[arg-type]
    with pytest.raises(UserInputError):
        similarity_by_layer(word, replace(word, vectors=word.vectors[:, :8]))


def test_several_marks_in_a_sentence(minilm_encoder: Encoder) -> None:
    marked = ["the [bank] by the [bank]", "my [awesomesauce] [pet]"]
    marks = [mark for sentence in marked for mark in read_marks(sentence)]
    found = words_of_marks(minilm_encoder, marks)
    assert [word.word for word in found] == ["bank", "bank", "awesomesauce", "pet"]
    assert [word.token_positions for word in found] == [(2,), (5,), (2, 3, 4), (5,)]
    assert found[0].text is found[1].text
    for word, alone in ((found[1], "the bank by the [bank]"), (found[2], "my [awesomesauce] pet")):
        expected = word_in_context(minilm_encoder, alone)
        assert np.abs(word.vectors - expected.vectors).max() < 1e-5
        assert np.abs(word.pieces - expected.pieces).max() < 1e-5


@pytest.mark.parametrize(
    ("sentence", "longest", "shown"),
    [
        ("I love my pet [python]", 12, "… pet |python|"),
        ("We sat quietly on the green [bank] of the river", 24, "… the green |bank| of the …"),
        ("([dog]), and  more", 40, "(|dog|), and  more"),
        ("[dog] now", 2, "|dog| …"),
        ("我喜欢我的[蛇]因为它很长", 5, "… 我的|蛇|因为 …"),
        ("an extraordinary [bank] says", 8, "… |bank| …"),
    ],
)
def test_a_sentence_is_shortened_around_its_word(sentence: str, longest: int, shown: str) -> None:
    marked = read_mark(sentence)
    assert "|".join(around(marked.text, marked.start, marked.end, longest)) == shown


def test_pieces_by_hand(minilm_encoder: Encoder) -> None:
    word, rows = word_in_context(minilm_encoder, "snake"), np.float32([[1, 0], [0, 2], [3, 4]])
    assert piece_similarity(replace(word, pieces=rows[None])) == pytest.approx([1.4 / 3])


def test_poolings_of_real_words(minilm_encoder: Encoder) -> None:
    marked = ["such [awesomesauce] here", "snake", "sauce"]
    by_pooling = {pool: words_in_context(minilm_encoder, marked, pool) for pool in POOLINGS}
    long, snake, sauce = by_pooling["mean"]
    found = compare_poolings([(long, snake), (long, sauce), (snake, sauce)])
    assert found.shape == (4, 7, 3)
    for number, pool in enumerate(POOLINGS):
        a, b, c = by_pooling[pool]
        assert found[number, :, 0] == pytest.approx(similarity_by_layer(a, b))
        assert found[number, :, 1] == pytest.approx(similarity_by_layer(a, c))
    assert (np.ptp(found[..., 2], axis=0) == 0).all(), "words of one piece have one vector"
    assert not long.pieces.flags.writeable


def test_the_other_tokens_of_a_sentence(minilm_encoder: Encoder) -> None:
    """Its mean without the word, [CLS] and [SEP], as the library's hidden states have it."""
    marked = ("the [awesomesauce] tastes of hot pepper", "an [bank] it is", "[bank]")
    # Positions of all other tokens, and of those within three of the word.
    others = ([1, 5, 6, 7, 8], [1, 3, 4], [])
    beside = ([1, 5, 6, 7], [1, 3, 4], [])
    for sentence, *positions in zip(marked, others, beside, strict=True):
        word = word_in_context(minilm_encoder, sentence)
        states = minilm_encoder.model(
            **batch_tensors([word.text]),
            output_hidden_states=True,
        ).hidden_states
        by_layer = np.stack([state[0].detach().numpy() for state in states])
        for mean, chosen in zip((word.others, word.beside), positions, strict=True):
            if chosen:
                assert mean == pytest.approx(by_layer[:, chosen].mean(axis=1), abs=1e-5)
            else:
                assert np.isnan(mean).all()
