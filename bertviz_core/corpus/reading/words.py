"""Which words are looked for, and where they stand in a text."""

from collections.abc import Iterator, Sequence

from bertviz_core.corpus.job import Word
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import WordFinder, parts_of
from bertviz_core.tokens.composed import composed


class Search:
    """Finds words in text, by the rules of `senses.occurrences.WordFinder`."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._finders = [(word.name, WordFinder(*word.forms)) for word in words]
        # Of several words with blanks between them the longest is looked for: blanks vary.
        self._parts = [
            (max(comparable(form).split(), key=len, default=""), number)
            for number, word in enumerate(words) for form in word.forms
        ]  # fmt: skip

    def find(self, text: str) -> Iterator[tuple[str, str, int, int]]:
        """Find all occurrences in a text, in the order of the words.

        Each is the word's name, its sentence, and where the word begins and ends there.
        """
        plain = comparable(text)
        for number in sorted({number for part, number in self._parts if part in plain}):
            name, finder = self._finders[number]
            line, spans = finder.spans(text)
            for part, start, end in parts_of(line, spans):
                yield name, part, start, end

    def may_hold(self, text: str) -> bool:
        """False only if a text holds none of the words; quick."""
        plain = comparable(text)
        return any(part in plain for part, _ in self._parts)


def comparable(text: str) -> str:
    """The text in lower case; what a `WordFinder` takes for equal is equal."""
    if text.isascii():
        return text.lower()
    text = composed(text).casefold().replace("\u2019", "'")
    return text.replace("\u0131", "i").replace("\u0307", "")  # the dots of Turkish


def read_words(named: Sequence[str]) -> tuple[Word, ...]:
    """Read words, `bank`, and lemmas, `go=go,goes,went`, each once."""
    words: dict[str, Word] = {}
    for word in map(_word, named):
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
