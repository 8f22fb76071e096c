import pytest

from bertviz_core.command.terminal import sentence_line


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
