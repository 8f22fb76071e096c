import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import read_mark, read_marks, read_word_pair
from bertviz_core.errors import UserInputError


@pytest.mark.parametrize(
    ("marked", "text", "word"),
    [
        ("I love my pet [python]", "I love my pet python", "python"),
        ("[Python] is fun.", "Python is fun.", "Python"),
        ("an [ ice cream ] cone", "an  ice cream  cone", "ice cream"),
        (r"see \[1\] for [this]", "see [1] for this", "this"),
        (r"a back\\slash [x]", r"a back\slash x", "x"),
        (r"C:\dir [x]", r"C:\dir x", "x"),
        ("the [MASK] was [blue]", "the [MASK] was blue", "blue"),
        ("the [[MASK]] was blue", "the [MASK] was blue", "[MASK]"),
        ("snake", "snake", "snake"),
        ("  “snake!” ", "  “snake!” ", "snake"),
        ("ice-cream", "ice-cream", "ice-cream"),
        ("- snake -", "- snake -", "snake"),
        ("!!", "!!", "!!"),
        ("[蛇] 很长", "蛇 很长", "蛇"),
    ],
)
def test_reads(marked: str, text: str, word: str) -> None:
    found = read_mark(marked)
    assert (found.text, found.word) == (text, word)


@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("two words", "has 2 words"),
        ("[a] and [b]", "marks 2 words"),
        ("an empty [ ] mark", "are empty"),
        ("open [python", "does not close"),
        ("close python]", "was not opened"),
        ("[a [b] c]", "inside another"),
    ],
)
def test_refuses(marked: str, message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        read_mark(marked)


@given(st.text(st.sampled_from("[]\\ ab\n[MASK]🐍") | st.characters(codec=None)))
@settings(max_examples=500, deadline=None)
def test_any_text_is_read_or_refused_in_words(marked: str) -> None:
    try:
        found = read_mark(marked)
    except UserInputError:
        return
    assert found.word
    assert found.word == found.word.strip()
    assert 0 <= found.start < found.end <= len(found.text)


@pytest.mark.parametrize(
    ("marked", "text", "words"),
    [
        ("The [king] spoke to the [queen]", "The king spoke to the queen", ["king", "queen"]),
        ("[a][b] [ c ]", "ab  c ", ["a", "b", "c"]),
        ("no mark", "no mark", []),
        ("", "", []),
        (r"\[1\] and [[MASK]]", "[1] and [MASK]", ["[MASK]"]),
    ],
)
def test_reads_several(marked: str, text: str, words: list[str]) -> None:
    found = read_marks(marked)
    assert [word.word for word in found] == words
    assert all(word.text == text for word in found)


@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ("[a] and [ ]", "are empty"),
        ("[a] and [b", "does not close"),
        ("[a] and b]", "was not opened"),
        ("[a [b]]", "inside another"),
    ],
)
def test_refuses_several(marked: str, message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        read_marks(marked)


@pytest.mark.parametrize("marked", ["a [dog] sat", "[ dog ]", r"\[x\] [y]"])
def test_one_mark_reads_the_same_either_way(marked: str) -> None:
    assert read_marks(marked) == [read_mark(marked)]


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
def test_what_is_no_pair_of_words(minilm: Bert, marked: str, message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        read_word_pair(minilm, marked)
