import pytest

from bertviz_core.command.terminal import printable, sentence_line


def test_a_terminal_runs_nothing() -> None:
    assert printable("a\x1b[31mred\x07\tb\nc\u202e") == "a\ufffd[31mred\ufffd b c\ufffd"
    assert printable("für 猫 👍") == "für 猫 👍"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (50, 52, "…fghij[ab]cdefg…"), (0, 2, "[ab]cdefghijab…"), (98, 100, "…ijabcdefgh[ij]"),
        (96, 98, "…ijabcdef[gh]ij"),
    ],
)  # fmt: skip
def test_a_long_sentence_is_cut_around_the_word(start: int, end: int, expected: str) -> None:
    row = {"sentence": "abcdefghij" * 10, "start": start, "end": end}
    assert sentence_line(row, width=12) == expected
