"""Lines longer than a sentence: cut around the word, and never multiplied by their words."""

import pytest

from bertviz_core.senses import WordFinder, find_occurrences, lines_of
from bertviz_core.senses.occurrences import LONGEST_SENTENCE
from bertviz_core.ui.forms.word_senses_runs import digest
from tests.fuzz import answers


def test_one_long_line_takes_little_memory_and_time() -> None:
    content = b"bank " * 1_000_000
    with answers():
        found = find_occurrences(lines_of(content), "bank")
        digest(found.occurrences)
    assert (found.total, found.lines, found.shortened) == (1_000_000, 1, 2_000)
    assert len({id(occurrence.sentence) for occurrence in found.occurrences}) < 20


@pytest.mark.parametrize("filling", ["word ", "x", "天", "é "])
def test_the_word_keeps_what_stands_around_it(filling: str) -> None:
    line = "".join(f"{filling * 150} bank{number} bank {filling * 40}" for number in range(60))
    found = WordFinder("bank").find(line)
    assert len(found) == 60
    for number, occurrence in enumerate(found):
        assert occurrence.word == "bank"
        assert len(occurrence.sentence) <= LONGEST_SENTENCE
        assert occurrence.sentence in line
        before = occurrence.sentence[: occurrence.start]
        after = occurrence.sentence[occurrence.end :]
        assert before.endswith(f"bank{number} ")
        assert len(before) > 200 or number == 0 or filling == "x"
        assert len(after) > 35


def test_marks_are_counted_before_the_cut() -> None:
    first, second = WordFinder("bank").find("x " * 2_000 + "[bank] and " + "y " * 2_000 + "[Bank]")
    assert (first.word, second.word) == ("bank", "Bank")
    assert first.sentence is not second.sentence


def test_the_digest_tells_marks_and_sentences_apart() -> None:
    texts = [["a bank", "a bank"], ["a bank", "a  bank"], ["a bank bank"], ["a [bank] bank"]]
    assert len({digest(find_occurrences(lines, "bank").occurrences) for lines in texts}) == 4
