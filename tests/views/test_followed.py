"""Which words of typed sentences are followed, and what is offered to compare them with."""

import pytest

from bertviz_core.bert import Bert
from bertviz_core.views.word_in_context.followed import (
    nearest_in_matrix,
    read_lines,
    tapped,
)


@pytest.mark.parametrize(
    ("typed", "marked"),
    [
        (["my [python] slept"], ["my [python] slept"]),
        (["my python slept", "a [python]"], ["my [python] slept", "a [python]"]),
        (["the bank is", "a bank", "no"], ["the [bank] is", "a [bank]", "[no]"]),
        (["the bank is by the bank"], ["the [bank] is by the [bank]"]),
        (["my [python slept", "a python] slept"], ["my [python] slept", "a [python] slept"]),
        (["[[dog]] and [cat"], ["[dog] and [cat]"]),
        (["a [dog] [", "]", "[ ]"], ["a [dog] "]),
        (["蛇很长", r"see \[1\]"], ["蛇很[长]", r"[see] \[1\]"]),
        (["☃"], ["[☃]"]),
        ([], []),
    ],
)  # fmt: skip
def test_every_line_has_a_followed_word(minilm: Bert, typed: list[str], marked: list[str]) -> None:
    assert [line.marked for line in read_lines(minilm, typed)] == marked


def test_what_the_model_does_not_read_is_not_chosen(minilm: Bert) -> None:
    (line,) = read_lines(minilm, ["dog " * 600 + "cat"])
    assert len(line.words) == 510
    assert line.name(line.followed[-1]) == "dog"


def test_a_tap_moves_the_mark_in_every_line(minilm: Bert) -> None:
    lines = read_lines(minilm, ["I love my [python]", "I [love] [code]"])
    assert tapped(lines, 0, (2, 6)) == ["I [love] my python", "I [love] code"]
    assert tapped(lines, 0, (7, 9)) == ["I love [my] python", "I [love] [code]"]
    assert tapped(lines, 0, (10, 16)) == ["I love my [python]", "I [love] [code]"], "one stays"


def test_words_to_compare_with(minilm: Bert) -> None:
    offered = nearest_in_matrix(minilm, "bank")
    assert "money" in offered
    assert not [word for word in offered if "bank" in word]
    assert nearest_in_matrix(minilm, "☃") == []
