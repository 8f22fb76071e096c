"""What a visitor typed, read once: sentences, their words, and which of them are followed.

Any text has an answer here: where nothing is marked, a word is chosen.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import MarkedText, lenient_marks, word_spans
from bertviz_core.contextual.nouns import same_word
from bertviz_core.senses.occurrences import function_words
from bertviz_core.tokens import TokenizedText, tokenize

NO_NOUN = ("ly", "ing", "ed")  # endings
IN_BRACKETS = re.compile(r"(?<!\\)\[([^\[\]\\]*)\](\()?")


class Line(NamedTuple):
    """A typed sentence, and its words."""

    tokens: TokenizedText
    text: str  # without marks
    words: list[MarkedText]
    followed: list[MarkedText]
    marked: list[MarkedText]  # those in brackets; where there are none, the page has chosen

    def same(self, name: str) -> list[MarkedText]:
        """The word of this name, each time that the sentence has it."""
        return [word for word in self.words if word.name == name]


def read_lines(bert: Bert, texts: Sequence[str], words: Sequence[str] = ()) -> list[Line]:
    """Read sentences, some with marks; in a blank one no word is followed.

    A sentence without marks follows the first of the `words` that it has. If it has none, a word is
    chosen: the last that is marked in another sentence, else that most sentences have, else one
    that another sentence has in another form (*banks*, *bank*). Where there is none of these, the
    first sentence follows its least frequent word that may be a noun, the others follow none.
    """
    lines = [_line(bert, *lenient_marks(IN_BRACKETS.sub(_as_text, text))) for text in texts]
    marked = {word.name for line in lines for word in line.marked}
    counts = Counter(name for line in lines for name in {word.name for word in line.words})
    for name in function_words():
        del counts[name]
    most = max(counts.values(), default=0)
    shared = {name for name, count in counts.items() if count == most > 1}
    for number, line in enumerate(lines):
        if line.marked or not line.words:
            continue
        names = [word.name for word in line.words]
        wanted = [name for name in words if name in names]
        wanted += [name for name in reversed(names) if name in marked]
        wanted += [name for name in reversed(names) if name in shared]
        others = {word.name for other in lines if other is not line for word in other.words}
        for forms in ({*words} | marked, {name for name in others if counts[name]}):
            wanted += [
                name
                for name in reversed(names)
                if counts[name] and any(same_word(name, other) for other in forms)
            ]
        followed = {word.name for other in lines for word in other.followed}
        wanted += [name for name in reversed(names) if name in followed]
        if not wanted and not followed:
            wanted = [max(line.words, key=partial(_rarity, line)).name]
        lines[number] = line._replace(followed=line.same(wanted[0]) if wanted else [])
    return lines


def _as_text(brackets: re.Match[str]) -> str:
    """What people paste is text on pages, in the library a mark: a link, several words."""
    inner, link = brackets.groups()
    return rf"\[{inner}\]{link or ''}" if link or len(word_spans(inner)) > 1 else brackets[0]


def _line(bert: Bert, text: str, marked: Sequence[MarkedText]) -> Line:
    tokens = tokenize(bert, text)
    end = int(tokens.offsets.max(initial=0)) if tokens.truncated else len(text)
    words = [MarkedText(text, *span) for span in word_spans(text) if span[1] <= end]
    # BERT reads whole words: a mark takes in each word that it has a part of.
    whole: list[MarkedText] = []
    for mark in marked:
        edges = [span for span in tokens.word_spans() if mark.overlaps(*span)]
        start = min([mark.start, *(first for first, _ in edges)])
        if whole and start < whole[-1].end:
            start = whole.pop().start
        whole.append(MarkedText(text, start, max([mark.end, *(last for _, last in edges)])))
    return Line(tokens, text, words, whole, whole)


def _rarity(line: Line, word: MarkedText) -> tuple[bool, bool, int, int]:
    """A rank of a word of a line: low ids are mostly frequent, and the rarest are in pieces."""
    starts = line.tokens.offsets[:, 0]
    ids = line.tokens.input_ids[(starts >= word.start) & (starts < word.end)]
    content = word.name not in function_words() and not word.name.isnumeric()
    return content, not word.name.endswith(NO_NOUN), len(ids), int(ids.max(initial=0))
