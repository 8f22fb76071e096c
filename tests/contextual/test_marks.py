import pytest

from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import (
    read_mark,
    read_marks,
    read_word_pair,
    word_spans,
)
from bertviz_core.errors import UserInputError


@pytest.mark.parametrize(
    ("marked", "text", "word"),
    [
        ("I love my pet [python]", "I love my pet python", "python"),
        ("[Python] is fun.", "Python is fun.", "Python"),
        ("an [ ice cream ] cone", "an  ice cream  cone", "ice cream"),
        (r"see \[1\] for [this]", "see [1] for this", "this"),
        (r"a back\\slash [x]", r"a back\slash x", "x"),
        ("the [MASK] was [blue]", "the [MASK] was blue", "blue"),
        ("the [[MASK]] was blue", "the [MASK] was blue", "[MASK]"),
        ("snake", "snake", "snake"),
        ("  “snake!” ", "  “snake!” ", "snake"),
        ("- ice-cream -", "- ice-cream -", "ice-cream"),
        ("!!", "!!", "!!"),
        ("[蛇] 很长", "蛇 很长", "蛇"),
        ("बैंकों", "बैंकों", "बैंकों"),
        ("nai\u0308ve\u0301!", "nai\u0308ve\u0301!", "nai\u0308ve\u0301"),
    ],
)
def test_reads(marked: str, text: str, word: str) -> None:
    found = read_mark(marked)
    assert (found.text, found.word) == (text, word)
    assert read_marks(marked) in ([], [found])  # one mark reads the same either way


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the _bank_, “_bank_?”", ["the", "bank", "bank"]),
        ("plane_nn __init__ a_b", ["plane", "nn", "init", "a", "b"]),
        ("the bank--which was—say--", ["the", "bank", "which", "was", "say"]),
        ("well-known don't U.S.A. 3.5%", ["well-known", "don't", "U.S.A", "3.5"]),
        ("a_銀行_b", ["a", "銀", "行", "b"]),
        ("_ __", ["_", "__"]),
    ],
)
def test_an_underscore_or_a_dash_ends_a_word(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words


@pytest.mark.parametrize("marked", ["", "  ", "two words", "[a] and [b]"])
def test_one_word_is_to_be_marked(marked: str) -> None:
    with pytest.raises(UserInputError):
        read_mark(marked)


@pytest.mark.parametrize("marked", ["an [ ] mark", "open [python", "close python]", "[a [b] c]"])
def test_refuses(marked: str) -> None:
    for read in (read_mark, read_marks):
        with pytest.raises(UserInputError):
            read(marked)


@pytest.mark.parametrize(
    ("marked", "text", "words"),
    [
        ("The [king] spoke to the [queen]", "The king spoke to the queen", ["king", "queen"]),
        ("[a][b] [ c ]", "ab  c ", ["a", "b", "c"]),
        ("no mark", "no mark", []),
        (r"\[1\] and [[MASK]]", "[1] and [MASK]", ["[MASK]"]),
    ],
)
def test_reads_several(marked: str, text: str, words: list[str]) -> None:
    found = read_marks(marked)
    assert [word.word for word in found] == words
    assert all(word.text == text for word in found)


@pytest.mark.parametrize("pair", [None, "she is at home with them now"])
def test_two_words(minilm: Bert, pair: str | None) -> None:
    """Characters of both texts are counted from 0: the second is never taken for the first."""
    found = read_word_pair(minilm, "The [king] liked [awesomesauce]", pair)
    assert (found.first.word, found.second.word) == ("king", "awesomesauce")
    assert found.first_positions == (2,)
    assert [found.text.tokens[i] for i in found.second_positions] == ["awesome", "##sau", "##ce"]
    assert found.text.token_type_ids.max() == (pair is not None)
    assert found.text.offsets[-2].any()  # the text itself keeps all its offsets


@pytest.mark.parametrize(
    "marked",
    ["", "no mark", "one [mark]", "[a] [b] [c]", "[ki][ng]", "[\x07] and [b]",
     "[a " + "word " * 600 + "] [b]"],
)  # fmt: skip
def test_two_words_are_to_be_marked(minilm: Bert, marked: str) -> None:
    with pytest.raises(UserInputError):
        read_word_pair(minilm, marked)
