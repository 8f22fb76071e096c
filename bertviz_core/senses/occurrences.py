"""The occurrences of a word in many lines, and the labelled sets of this project."""

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice, pairwise
from numbers import Integral
from pathlib import Path

from bertviz_core.errors import UserInputError, expect, expect_each
from bertviz_core.result import Readable, cut
from bertviz_core.tokens.composed import MARK, composed, origins

MAX_OCCURRENCES = 2_000
MAX_SENTENCE = 2_000  # characters; of a longer line only the part around the word is kept
MAX_LABEL = 200  # characters
MAX_WORD = 100  # characters; of a longer word BERT reads nothing
_CONTEXT = 500  # characters that a part of a line keeps on both sides of a word
HEADER = "sense\tsentence"
_LETTER = rf"(?-i:[^\W_]|{MARK})"  # or a digit
# No letter or digit may follow a word that ends in one. Signs, _ among them, and Chinese characters
# need no gap: BERT reads each of them as a word.
_CHINESE = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"
_NEEDS_GAP = re.compile(rf"(?-i:[^\W_{_CHINESE}]|{MARK})")


@dataclass(frozen=True)
class Occurrence:
    """A word at one place of a line."""

    sentence: str  # without the brackets of a mark; of a very long line a part
    start: int  # first character of the word in it
    end: int  # one past its last character
    line: int  # number of the line in its source, from 1
    sense: str | None = None  # its label, where the source has labels

    @property
    def word(self) -> str:
        return self.sentence[self.start : self.end]


@dataclass(frozen=True, repr=False)
class WordOccurrences(Readable):
    """The occurrences of a word in a text."""

    word: str
    occurrences: tuple[Occurrence, ...]  # the first ones, in the order of the text
    total: int  # how many there are
    lines: int  # how many lines hold the word
    shortened: int = 0  # how many have a part of their line as their sentence

    def _summary(self) -> str:
        senses = {occurrence.sense for occurrence in self.occurrences} - {None}
        labels = f", {len(senses)} senses" if senses else ""
        return f"{cut(self.word)}, {self.total:,} occurrences in {self.lines:,} lines{labels}"


class WordFinder:
    """Finds a word in lines: whole, in upper or lower case, several times a line.

    Texts are compared as `composed`; ' and ’ are the same, though BERT reads two tokens. In a line
    with the word in brackets, `the [bank] of the river`, only these are found.
    """

    def __init__(self, *forms: str) -> None:
        """Prepare the search for a word and further forms of it, such as "goes"."""
        written = [" ".join(expect(form, str, "a word as a str").split()) for form in forms]
        self._forms = [composed(form) for form in written]
        if not forms or not all(self._forms):
            raise UserInputError("Type the word to look for.")
        self.word = written[0]
        if (longest := max(map(len, written))) > MAX_WORD:
            raise UserInputError(f"The word has {longest:,} characters; choose up to {MAX_WORD}.")

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """A form as a whole word, and in brackets; made when a text is searched."""
        # Where several forms begin at one place, the longest is meant.
        patterns = [_pattern(form) for form in sorted(self._forms, key=len, reverse=True)]
        cores, whole = map("|".join, zip(*patterns, strict=True))
        return re.compile(whole, re.IGNORECASE), re.compile(rf"\[({cores})\]", re.IGNORECASE)

    def count(self, line: str) -> int:
        """How many `spans` a line has, in a fraction of their time."""
        pattern, _ = self._pattern_for(line := composed(line))
        return sum(1 for _ in pattern.finditer(line))

    def spans(self, line: str) -> tuple[str, Iterator[tuple[int, int]]]:
        """The line without outer blanks and marks, and where each word begins and ends."""
        text = line.strip()
        searched = composed(text)
        pattern, in_brackets = self._pattern_for(searched)
        ends = (at for match in pattern.finditer(searched)
                for at in (match.start(), match.end() - in_brackets))  # fmt: skip
        places = ends if searched == text else origins(text, ends)
        if in_brackets:
            brackets = array("L", places)
            # Without brackets a character is earlier by as many as there were before it.
            places = (bracket - number for number, bracket in enumerate(brackets))
            edges = pairwise(chain([-1], brackets, [len(text)]))
            text = "".join(text[before + 1 : after] for before, after in edges)
        return text, zip(places, places, strict=True)

    def _pattern_for(self, text: str) -> tuple[re.Pattern[str], bool]:
        """The pattern for a text, and whether it is that for the word in brackets."""
        anywhere, in_brackets = self._patterns
        if "[" in text and in_brackets.search(text):
            return in_brackets, True
        return anywhere, False


def _pattern(form: str) -> tuple[str, str]:
    """The patterns of a form: in brackets, and as a whole word in a text."""
    core = r"\s++".join(map(re.escape, form.split()))
    core = re.sub("['\u2019]", "['\u2019]", core)
    # What comes before is looked at where the first letter is, which is quicker.
    before = rf"(?={core[0]})(?<!{_NEEDS_GAP.pattern})" if _NEEDS_GAP.match(form[0]) else ""
    after = rf"(?!{_NEEDS_GAP.pattern})" if _NEEDS_GAP.match(form[-1]) else ""
    return core, before + core + after


def parts_of(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[str, int, int]]:
    """Cut a line of over 2,000 characters into parts around its words, with each word's span."""
    # Words near one another share a part, so that a long line does not multiply.
    part = text
    low = 0
    shared = len(text)  # a word that ends up to here is in the same part
    for start, end in spans:
        if len(text) > MAX_SENTENCE and (part is text or end > shared):
            low = max(start - _CONTEXT, 0)
            if low and (blank := text.find(" ", low, start)) > 0:
                low = blank + 1
            high = max(low + MAX_SENTENCE, end)
            shared = max(high - _CONTEXT, end)
            if high < len(text) and (blank := text.rfind(" ", shared, high)) > 0:
                high = blank
            part = text[low:high]
        yield part, start - low, end - low


def find_occurrences(
    lines: Iterable[str], word: str, most: int = MAX_OCCURRENCES
) -> WordOccurrences:
    r"""Find a word in the lines of a text.

    Args:
        lines: One sentence each: a list, an open file or the like. If the first that is not blank
            says `sense\tsentence`, each of the others holds a label, a tab and a sentence.
        word: Found whole, in upper or lower case; see `WordFinder`.
        most: How many occurrences to keep; the others are counted.

    Returns:
        The first occurrences, and how many there are in all.

    Raises:
        UserInputError: As for `WordFinder`.

    Example:
        >>> find_occurrences(["The bank was closed.", "We sat on the bank."], "bank")
        WordOccurrences('bank', 2 occurrences in 2 lines)
    """
    finder = WordFinder(word)
    expect(most, Integral, "the most occurrences to keep as a whole number")
    occurrences: list[Occurrence] = []
    total = holding = shortened = 0
    labelled: bool | None = None
    # There may be millions of lines, so each takes few steps; a blank line has no word.
    each = expect_each(lines, str, "a list of lines, each a str")
    for number, line in enumerate(each, start=1):
        if labelled is None:
            if not line.strip():
                continue
            labelled = is_header(line)
            if labelled:
                continue
        text, sense = split_label(line) if labelled else (line, None)
        count = finder.count(text)
        if not count:
            continue
        total += count
        holding += 1
        if len(occurrences) >= most:
            continue
        text, spans = finder.spans(text)
        spans = islice(spans, most - len(occurrences))
        parts = [Occurrence(*part, number, sense) for part in parts_of(text, spans)]
        occurrences += parts
        shortened += len(parts) if len(text) > MAX_SENTENCE else 0
    return WordOccurrences(finder.word, tuple(occurrences), total, holding, shortened)


def shared_word(lines: Iterable[str]) -> str:
    """The word that all lines share, in lower case; "" for none.

    Of several: one that is in brackets in all lines, then no function word, then the longest.
    """
    texts = [composed(line) for line in lines if line.strip()]
    if texts and is_header(texts[0]):
        texts = [split_label(line)[0] for line in texts[1:]]
    words = [re.findall(rf"\[({_LETTER}+)\]", line.lower()) for line in texts]
    if not all(words):
        words = [re.findall(rf"{_LETTER}+", line.lower()) for line in texts]
    shared = set.intersection(*map(set, words)) if words else set()
    ordinary = shared - function_words() or shared
    return max(sorted(ordinary), key=len, default="")


@cache
def function_words() -> frozenset[str]:
    """English words that hold a sentence together, and numbers."""
    return frozenset(_FUNCTION_WORDS.read_text(encoding="utf-8").split())


def is_header(line: str) -> bool:
    """Whether a line is the header, after which each line starts with a label."""
    return line.strip().lower() == HEADER


def split_label(line: str) -> tuple[str, str | None]:
    """The text of a line and its label, of at most 200 characters; without a tab there is none."""
    if "\t" not in line:
        return line, None
    label, text = line.split("\t", 1)
    return text, label.strip()[:MAX_LABEL] or None


_FUNCTION_WORDS = Path(__file__).parents[1] / "data" / "function_words.txt"
PREPARED = Path(__file__).parents[1] / "data" / "senses"


@cache
def prepared_words() -> tuple[str, ...]:
    """The words of this project's labelled sets, in alphabetical order."""
    return tuple(sorted(path.stem for path in PREPARED.glob("*.tsv")))


def prepared_set(word: str) -> WordOccurrences:
    """Read one of this project's labelled sets.

    Args:
        word: One of `prepared_words()`.

    Returns:
        The occurrences of the word in the set, each with its sense.

    Raises:
        UserInputError: There is no set of this word.

    Example:
        >>> prepared_set("bank")
        WordOccurrences('bank', 28 occurrences in 28 lines, 2 senses)
    """
    if expect(word, str, "a word as a str") not in prepared_words():
        raise UserInputError(f"“{word}” has no prepared set; choose {', '.join(prepared_words())}.")
    text = (PREPARED / f"{word}.tsv").read_text(encoding="utf-8")
    return find_occurrences(text.split("\n"), word)
