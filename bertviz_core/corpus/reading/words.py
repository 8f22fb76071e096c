"""Which words are looked for, and where they stand in a text; sentences by the rules of pysbd."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from bertviz_core.corpus.job import Split, Word
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import WordFinder, parts_of

# Characters that the rules see at once. They take a fixed time and one that grows with the square:
# 6 ms for 600 characters, a minute for 100,000.
BLOCK = 600
# A sentence surely ends after a word of four small letters: "Prof." has three.
_SURE_END = re.compile(r"""(?<=[a-z]{4}[.!?])["”’)\]]*\s+(?=["“‘(\[]*[A-Z])""")


class Found(NamedTuple):
    """A word in a sentence."""

    word: str  # name of the word
    sentence: str  # at most about 2,000 characters around it
    start: int  # first character of the word in the sentence
    end: int  # one past its last


class Search:
    """Finds words in text, by the rules of `senses.occurrences.WordFinder`."""

    def __init__(self, words: Sequence[Word], split: Split) -> None:
        self._finders = [(word.name, WordFinder(*word.forms)) for word in words]
        self._split = split
        # Of several words with blanks between them the longest is looked for: blanks vary.
        self._parts = [
            (max(comparable(form).split(), key=len, default=""), number)
            for number, word in enumerate(words) for form in word.forms
        ]  # fmt: skip

    def find(self, text: str) -> Iterator[Found]:
        """Find all occurrences, sentence by sentence, each time in the order of the words.

        Most texts hold none of the words; that is seen at once, and costs no sentence rules.
        """
        if self._split == "lines":
            yield from self._found(text, self._present(text))
        elif self.may_hold(text):
            for block in blocks(text):
                if numbers := self._present(block):
                    for sentence in split_sentences(block):
                        yield from self._found(sentence, numbers)

    def may_hold(self, text: str) -> bool:
        """Whether a text may hold one of the words; if not, it surely holds none."""
        plain = comparable(text)
        return any(part in plain for part, _ in self._parts)

    def _present(self, text: str) -> list[int]:
        """Numbers of the words that the text may hold: no other one is in it."""
        plain = comparable(text)
        return sorted({number for part, number in self._parts if part in plain})

    def _found(self, sentence: str, numbers: Sequence[int]) -> Iterator[Found]:
        for name, finder in map(self._finders.__getitem__, numbers):
            line, spans = finder.spans(sentence)
            for part, start, end in parts_of(line, spans):
                yield Found(name, part, start, end)


def comparable(text: str) -> str:
    """Text in which at least all spellings that `re.IGNORECASE` takes for one another are one."""
    if text.isascii():
        return text.lower()
    return text.casefold().replace("\u0131", "i").replace("\u0307", "")  # the dots of Turkish


def read_words(named: Sequence[str], file: Path | None = None) -> tuple[Word, ...]:
    """Read words, `bank`, and lemmas, `go=go,goes,went`, each once; a file has more, one a line."""
    words: dict[str, Word] = {}
    for word in map(_word, [*named, *(_lines(file) if file is not None else ())]):
        if words.setdefault(word.name, word) != word:
            raise UserInputError(
                f"The word “{word.name}” is named twice, with other forms; name it once."
            )
    if not words:
        raise UserInputError("Name a word to look for: bank, or go=go,goes,went.")
    return tuple(words.values())


def _word(entry: str) -> Word:
    name, sign, listed = entry.partition("=")
    lemma = bool(sign and name.strip())  # a sign alone is a word
    forms = listed.split(",") if lemma else [entry]
    written = tuple(dict.fromkeys(" ".join(form.split()) for form in forms))
    if not all(written):
        raise UserInputError(f"“{entry}” has an empty form; write a lemma as go=go,goes,went.")
    WordFinder(*written)  # says what is wrong with them
    return Word(" ".join(name.split()) if lemma else written[0], written)


def _lines(file: Path) -> list[str]:
    try:
        return list(filter(str.strip, file.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise UserInputError(
            f"{file} cannot be read ({error}); expected lines in UTF-8."
        ) from error


def blocks(text: str) -> Iterator[str]:
    """Cut a paragraph into blocks of about 600 characters, where sentences surely end."""
    at = 0
    while len(text) - at > BLOCK:
        ends = [found.end() for found in _SURE_END.finditer(text, at, at + 2 * BLOCK)]
        # The last that leaves a block short enough, else the first, else a blank.
        near = [end for end in ends if end <= at + BLOCK][-1:] or ends[:1]
        blank = text.rfind(" ", at + 1, at + 2 * BLOCK) + 1
        cut = near[0] if near else blank or at + 2 * BLOCK
        yield text[at:cut].strip()
        at = cut
    yield text[at:].strip()


def split_sentences(block: str) -> list[str]:
    """Split a block into sentences by pysbd (Sadvilkar and Neumann 2020); only blanks are lost."""
    sentences = _rules().segment(block)
    if "".join("".join(sentences).split()) != "".join(block.split()):
        return [block]  # it holds a rare sign that the rules use themselves, and lose
    return [sentence.strip() for sentence in sentences if sentence.strip()]


@cache
def _rules() -> Any:
    try:
        import pysbd
    except ImportError as error:
        raise UserInputError(
            "Running text is split by pysbd, which is not installed; run pip install "
            '".[corpus]", or give one sentence a line.'
        ) from error
    return pysbd.Segmenter(language="en", clean=False)
