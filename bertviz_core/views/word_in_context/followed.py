"""Which words of the typed sentences a tap can mark, which are followed, and what to compare with.

Any text has an answer here: where nothing is marked, a word is chosen.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from bertviz_core.bert import Bert
from bertviz_core.calibration.run import function_words
from bertviz_core.contextual.marks import lenient_marks, with_marks
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors.search import nearest_tokens
from bertviz_core.shared import once
from bertviz_core.tokens import tokenize

Span = tuple[int, int]
# One sign of Chinese or Japanese, or from the first to the last letter or digit between blanks.
_EAST = r"\u2e80-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_EAST}]|[^\W_{_EAST}](?:[^\s{_EAST}]*[^\W_{_EAST}])?")
_SEARCHED = 30  # rows of the matrix, of which the first that differ from the word are offered
OFFERED = 4  # words of a kind


class Line(NamedTuple):
    """A typed sentence, and its words."""

    text: str  # without marks
    words: list[Span]
    followed: list[Span]
    chosen: bool  # whether nothing was marked, and the page has chosen

    @property
    def marked(self) -> str:
        """The sentence with its marks."""
        return with_marks(self.text, self.followed)

    def name(self, span: Span) -> str:
        """A word, for comparing it with others."""
        return self.text[slice(*span)].strip().casefold()

    def is_followed(self, span: Span) -> bool:
        """Whether a word is marked, or a part of a mark."""
        return any(span[0] < end and span[1] > start for start, end in self.followed)

    def same(self, name: str) -> list[Span]:
        """All places of a word."""
        return [span for span in self.words if self.name(span) == name]


def read_lines(bert: Bert, lines: Sequence[str]) -> list[Line]:
    """Read sentences with marks; those without any letter or sign are left out."""
    # In a line without a mark the followed word is one that another line marks, or the one that
    # most lines share, or the last word that is no function word.
    read = [lenient_marks(line) for line in lines]
    found = [
        Line(text, _words(bert, text), spans, chosen=not spans)
        for text, spans in read
        if text.strip()
    ]
    marked = {line.name(span) for line in found for span in line.followed}
    in_lines = Counter(name for line in found for name in {line.name(one) for one in line.words})
    most = max((in_lines[name] for name in in_lines.keys() - _function_words()), default=0)
    shared = {name for name in in_lines.keys() - _function_words() if in_lines[name] == most > 1}
    return [
        line if line.followed else line._replace(followed=line.same(_best(line, marked, shared)))
        for line in found
    ]


def _best(line: Line, marked: set[str], shared: set[str]) -> str:
    names = [line.name(span) for span in line.words]
    content = {name for name in names if not name.isnumeric()} - _function_words()
    for wanted in (marked, shared, content, set(names)):
        if fitting := [name for name in names if name in wanted]:
            return fitting[-1]
    return ""


def _words(bert: Bert, text: str) -> list[Span]:
    """The words of a text that the model reads."""
    tokens = tokenize(bert, text)
    end = int(tokens.offsets.max()) if tokens.truncated else len(text)
    found = [word.span() for word in _WORD.finditer(text)]
    return [span for span in found or _signs(text) if span[1] <= end]


def _signs(text: str) -> list[Span]:
    return [sign.span() for sign in re.finditer(r"\S+", text)]


_function_words = cache(function_words)


def tapped(lines: Sequence[Line], number: int, span: Span) -> list[str]:
    """The lines after a tap: the word is marked in each, or its marks go where others are left."""
    name = lines[number].name(span)
    takes_off = lines[number].is_followed(span)
    changed = []
    for line in lines:
        same = line.same(name)
        rest = [span for span in line.followed if line.name(span) != name]
        if not same:
            marks = [] if line.chosen else line.followed
        elif takes_off:
            marks = rest or line.followed
        else:
            marks = same
        changed.append(with_marks(line.text, marks))
    return changed


@once
def nearest_in_matrix(bert: Bert, word: str) -> list[str]:
    """The nearest whole words in the embedding matrix that are not forms of the word."""
    try:
        found = nearest_tokens(bert, word, _SEARCHED, keep="words").tokens
    except UserInputError:  # a sign that adds up to zero, or "+"
        return []
    stems, offered = [word.casefold()[:4]], list[str]()
    for token in found:
        if len(token) > 2 and token.isalpha() and not any(stem in token for stem in stems):
            stems.append(token[:4])
            offered.append(token)
    return offered[:OFFERED]
