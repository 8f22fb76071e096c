"""What a visitor typed, read once: sentences, their words, and which of them are followed.

Any text has an answer here: where nothing is marked, a word is chosen.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import WORD_PATTERN, MarkedText, lenient_marks
from bertviz_core.senses.occurrences import function_words
from bertviz_core.tokens import TokenizedText, tokenize

Span = tuple[int, int]
_NO_NOUN = ("ly", "ing", "ed")  # endings


class Line(NamedTuple):
    """A typed sentence, and its words."""

    tokens: TokenizedText
    text: str  # without marks
    words: list[Span]
    followed: list[Span]
    marked: list[Span]  # those in brackets; where there are none, the page has chosen

    @property
    def marks(self) -> list[MarkedText]:
        """The followed words."""
        return [MarkedText(self.text, *span) for span in self.followed]

    def name(self, span: Span) -> str:
        """A word, for comparing it with others."""
        return self.text[slice(*span)].casefold()

    def is_followed(self, span: Span) -> bool:
        """Whether a word is marked, or a part of a mark."""
        return any(span[0] < end and span[1] > start for start, end in self.followed)

    def same(self, name: str) -> list[Span]:
        """All places of a word."""
        return [span for span in self.words if self.name(span) == name]


def read_lines(bert: Bert, texts: Sequence[str], words: Sequence[str] = ()) -> list[Line]:
    """Read sentences, some with marks; in a blank one no word is followed.

    A sentence without marks follows the first of the `words` that it has. If it has none, a word is
    chosen.
    """
    read = [_line(bert, *lenient_marks(text)) for text in texts]
    marked = {line.name(span) for line in read for span in line.followed}
    in_lines = Counter(name for line in read for name in {line.name(one) for one in line.words})
    for word in function_words():
        del in_lines[word]
    most = max(in_lines.values(), default=0)
    shared = {name for name, count in in_lines.items() if count == most > 1}
    for number, line in enumerate(read):
        if not line.marked:
            wanted = next(filter(None, map(line.same, words)), None)
            followed = wanted or line.same(_best(line, (marked, shared)))
            read[number] = line._replace(followed=followed)
    return read


def _line(bert: Bert, text: str, spans: list[Span]) -> Line:
    tokens = tokenize(bert, text)
    end = int(tokens.offsets.max(initial=0)) if tokens.truncated else len(text)
    words = [word.span() for word in WORD_PATTERN.finditer(text)]
    words = words or [sign.span() for sign in re.finditer(r"\S+", text)]
    known = [span for span in words if span[1] <= end]
    marked = _whole(spans, tokens.word_spans())
    return Line(tokens, text, known, marked, marked)


def _whole(spans: Sequence[Span], words: Sequence[Span]) -> list[Span]:
    """Marks, each with the words that it holds a part of: BERT reads whole words."""
    whole: list[Span] = []
    for start, end in spans:
        held = [word for word in words if word[0] < end and word[1] > start]
        start, end = min([start, *(one for one, _ in held)]), max([end, *(one for _, one in held)])
        if whole and start < whole[-1][1]:
            start, _ = whole.pop()
        whole.append((start, end))
    return whole


def _best(line: Line, wanted: Sequence[set[str]]) -> str:
    """What is followed where nothing is marked.

    The last word that is in one of the sets, or the least frequent word that may be a noun.
    """
    names = [line.name(span) for span in line.words]
    for names_wanted in wanted:
        if fitting := [name for name in names if name in names_wanted]:
            return fitting[-1]
    starts = line.tokens.offsets[:, 0]

    def rank(number: int) -> tuple[bool, bool, int, int]:
        # Low ids are mostly frequent words, and the rarest words are in pieces.
        name, (start, end) = names[number], line.words[number]
        ids = line.tokens.input_ids[(starts >= start) & (starts < end)]
        content = name not in function_words() and not name.isnumeric()
        return content, not name.endswith(_NO_NOUN), len(ids), int(ids.max(initial=0))

    return names[max(range(len(names)), key=rank)] if names else ""
