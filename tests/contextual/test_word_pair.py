"""Two marked words of one text, and their tokens."""

import pytest

from bertviz_core.bert import Bert
from bertviz_core.contextual.word_pair import read_word_pair
from bertviz_core.errors import UserInputError


def test_two_words(minilm: Bert) -> None:
    pair = read_word_pair(minilm, "The [king] liked [awesomesauce]")
    assert pair.first_positions == (2,)
    assert [pair.text.tokens[i] for i in pair.second_positions] == ["awesome", "##sau", "##ce"]
    assert (pair.first.word, pair.second.word) == ("king", "awesomesauce")


def test_a_second_text_is_never_taken_for_the_first(minilm: Bert) -> None:
    """Characters of both texts are counted from 0."""
    pair = read_word_pair(minilm, "a [dog] and a [cat]", "she is at home with them now")
    assert [pair.text.tokens[i] for i in (*pair.first_positions, *pair.second_positions)] == [
        "dog",
        "cat",
    ]
    assert pair.text.token_type_ids.max() == 1
    assert pair.text.offsets[-2].any()  # the text itself keeps all its offsets


@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("no mark here", "marks no word; put"),
        ("one [mark] here", "marks one word only"),
        ("[a] [b] [c]", "marks 3 words"),
        ("[ki][ng]", "parts of one token, “king”"),
        ("[\x07] and [b]", "no character that BERT reads"),
        ("[a " + "word " * 600 + "] [b]", "lies beyond"),
    ],
)
def test_refuses(minilm: Bert, marked: str, message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        read_word_pair(minilm, marked)
