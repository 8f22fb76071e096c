"""Which words of typed sentences are followed."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import lenient_marks, with_marks
from bertviz_core.views.word_in_context.reading import read_lines


@pytest.mark.parametrize(
    ("typed", "marked"),
    [
        (["my [python] slept"], ["my [python] slept"]),
        (["my python slept", "a [python]"], ["my [python] slept", "a [python]"]),
        (["the bank is", "a bank", "no"], ["the [bank] is", "a [bank]", "no"]),
        # In another form, if in none; without a common word, only the first one is followed.
        (["banks were shut", "a bank by the sea"], ["[banks] were shut", "a [bank] by the sea"]),
        (["a [berry]", "she picked berries"], ["a [berry]", "she picked [berries]"]),
        (["a crane by the shore", "I love coding"], ["a [crane] by the shore", "I love coding"]),
        # What people paste.
        (["[this](http://a.b) bank", "a bank"], [r"\[this\](http://a.b) [bank]", "a [bank]"]),
        (["See [docs](http://a.b) it", "a doc"], [r"See \[[docs]\](http://a.b) it", "a [doc]"]),
        (["It is what it is", "What is it?"], ["[It] is what [it] is", "What is [it]?"]),
        (["[see the note] my [dog]"], [r"\[see the note\] my [dog]"]),
        (["a claim[1] [sic] it"], ["a [claim1] [sic] it"]),
        (["the bank is by the bank"], ["the [bank] is by the [bank]"]),
        (["my [python slept", "a python] slept"], ["my [python] slept", "a [python] slept"]),
        (["[[dog]] and [cat"], ["[dog] and [cat]"]),
        (["a [dog] [", "]", "[ ]"], ["a [dog] ", "", " "]),
        (["蛇很长", r"see \[1\]"], ["[蛇]很长", r"see \[1\]"]),
        (["☃"], ["[☃]"]),
        (["to [win]dow it"], ["to [window] it"]),
        (["a [hospit]al, a [hos]pital"], ["a [hospital], a [hospital]"]),
        (["wel[l-kno]wn"], ["[well-known]"]),
        (["her [ cafe\u0301 ] is"], ["her  [cafe\u0301]  is"]),
        (["I found my [MASK]"], [r"I [found] my \[MASK\]"]),
        (["She quickly opened the umbrella"], ["She quickly opened the [umbrella]"]),
        ([], []),
    ],
)  # fmt: skip
def test_which_words_are_followed(minilm: Bert, typed: list[str], marked: list[str]) -> None:
    read = read_lines(minilm, typed)
    assert [with_marks(line.text, line.followed) for line in read] == marked


def test_what_the_model_does_not_read_is_not_chosen(minilm: Bert) -> None:
    (line,) = read_lines(minilm, ["dog " * 600 + "cat"])
    assert len(line.words) == 510
    assert line.followed[-1].name == "dog"


def test_the_first_word_that_a_sentence_has_is_followed(minilm: Bert) -> None:
    texts = ["I love my python", "I love [code]", "the snake"]
    lines = read_lines(minilm, texts, ["love", "my"])
    assert [with_marks(line.text, line.followed) for line in lines] == [
        "I [love] my python",
        "I love [code]",  # marked
        "the snake",
    ]


@given(text=st.text(max_size=60))
@example(text=r"a [b] \ c")
@example(text="[MASK] is a token 🐍")
def test_marks_come_back(text: str) -> None:
    plain, words = lenient_marks(text)
    assert lenient_marks(with_marks(plain, words)) == (plain, words)
