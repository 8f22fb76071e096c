"""Which words are looked for, and where they stand in a text."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bertviz_core.corpus.job import Split, Word
from bertviz_core.corpus.reading.sentences import blocks, split_sentences
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import WordFinder, parts_of


class Found(NamedTuple):
    """A word in a sentence."""

    word: str  # name of the word
    sentence: str  # at most about 2,000 characters around it
    start: int  # first character of the word in the sentence
    end: int  # one past its last


class Search:
    """Finds words in text, by the rules of `senses.occurrences.WordFinder`."""

    def __init__(self, words: Sequence[Word], split: Split) -> None:
        """Prepare the search; with "sentences" a text may hold several."""
        self._finders = [(word.name, WordFinder(*word.forms)) for word in words]
        self._split = split
        # Of several words with blanks between them the longest is looked for: blanks vary.
        self._parts = [
            (max(comparable(form).split(), key=len, default=""), number)
            for number, word in enumerate(words)
            for form in word.forms
        ]

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
    """Text in which all spellings that `re.IGNORECASE` takes for one another are one.

    More may become one than that. Where a word stands in a text, it stands in the comparable
    text, too; not the other way round.
    """
    if text.isascii():
        return text.lower()
    return text.casefold().replace("\u0131", "i").replace("\u0307", "")  # the dots of Turkish


def read_words(named: Sequence[str], file: Path | None = None) -> tuple[Word, ...]:
    """Read which words are meant.

    Args:
        named: Words, `bank`, and lemmas with all of their forms, `go=go,goes,went`.
        file: UTF-8 text with more of them, one a line.

    Returns:
        Each once, in this order.

    Raises:
        UserInputError: There is none, two have the same name but other forms, one is blank or too
            long, or the file cannot be read.
    """
    listed = [*named, *(_lines(file) if file is not None else ())]
    words: dict[str, Word] = {}
    for entry in listed:
        word = _word(entry)
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
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserInputError(
            f"{file} cannot be read ({error}); expected UTF-8 text, one word a line."
        ) from error
    return [line for line in lines if line.strip()]
