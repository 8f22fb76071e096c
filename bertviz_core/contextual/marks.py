"""The marked words of a sentence, `I love my pet [python]`, and their tokens."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError, expect, shortened
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.tokens.composed import MARK

# A special token, an escaped sign, a bracket, or anything else: together they cover every text.
_PARTS = re.compile(r"(\[(?:CLS|SEP|MASK|UNK|PAD)\])|\\([\[\]\\])|([\[\]])|([^\[\]\\]+|\\)")
_SIGN = re.compile(r"[\[\]\\]")
_EAST = r"\u2e80-\u9fff\uf900-\ufaff"
# A special token, one sign of Chinese or Japanese, or from the first to the last letter or digit
# between blanks, _, dashes and the middle of a link, `](`, with the accents and vowel signs that
# follow it.
WORD_PATTERN = re.compile(
    rf"\[(?:CLS|SEP|MASK|UNK|PAD)\]|[{_EAST}]"
    rf"|[^\W_{_EAST}](?:(?:(?!--|\]\()[^\s_—{_EAST}])*[^\W_{_EAST}])?(?:{MARK})*"
)


def word_spans(text: str) -> list[tuple[int, int]]:
    """First and one-past-last character of each word; of what is between blanks if none is one."""
    matches = list(WORD_PATTERN.finditer(text)) or re.finditer(r"\S+", text)
    return [match.span() for match in matches]


@dataclass(frozen=True)
class MarkedText:
    """A sentence as BERT reads it, and the first and one-past-last character of a word in it."""

    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text[self.start : self.end]

    @property
    def name(self) -> str:
        """The word, for comparing it with others."""
        return self.word.casefold()

    def overlaps(self, start: int, end: int) -> bool:
        """Whether the word has one of the characters from `start` to before `end`."""
        return self.start < end and self.end > start


def read_mark(marked: str) -> MarkedText:
    r"""Read the marked word of a sentence; without a mark it is the only word of the text.

    `[word]` marks; `\[`, `\]` and `\\` are the literal signs, `[MASK]` and the like special tokens.
    """
    text, words = lenient_marks(marked, strict=True)
    if len(words) > 1:
        raise UserInputError(
            f"“{_quoted(marked)}” marks {len(words)} words; put brackets around one only."
        )
    if words:
        return words[0]
    spans = word_spans(text)
    if len(spans) != 1:
        raise UserInputError(
            f"“{_quoted(marked)}” has {len(spans)} words; put [brackets] around the one to look at."
        )
    return MarkedText(text, *spans[0])


def read_marks(marked: str) -> list[MarkedText]:
    """Read all marked words of a sentence, `The [king] spoke to the [queen]`: one entry a mark."""
    _, words = lenient_marks(marked, strict=True)
    return words


def lenient_marks(marked: str, *, strict: bool = False) -> tuple[str, list[MarkedText]]:
    """Any text without its marks, and the words marked; a lone bracket marks the word beside it.

    If `strict`, a UserInputError for a lone bracket, and for brackets that are empty.
    """
    parts: list[str] = []
    brackets: list[tuple[str, int]] = []
    length = 0
    expect(marked, str, "a sentence as a str, with its word in brackets")
    for special, literal, bracket, plain in _PARTS.findall(marked):
        if bracket:
            brackets.append((bracket, length))
        else:
            parts.append(special or literal or plain)
            length += len(parts[-1])
    text = "".join(parts)
    signs = "".join(sign for sign, _ in brackets)
    if strict and signs != "[]" * (len(signs) // 2):
        raise UserInputError(
            f"“{_quoted(marked)}” has a bracket without its partner, or one inside another; "
            r"write \[ or \] for the sign itself."
        )
    spans: list[tuple[int, int]] = []
    opened: list[int] = []
    for bracket, at in brackets:
        if bracket == "[":
            opened.append(at)
        elif opened:
            spans.append((opened.pop(), at))
        else:
            spans += [word.span() for word in WORD_PATTERN.finditer(text, 0, at)][-1:]
    for at in opened:
        spans += [word.span() for word in WORD_PATTERN.finditer(text, at)][:1]
    words: list[MarkedText] = []
    for start, end in sorted(spans):
        inner = text[start:end]
        if inner.strip() and (not words or start >= words[-1].end):
            start, end = end - len(inner.lstrip()), start + len(inner.rstrip())
            words.append(MarkedText(text, start, end))
    if strict and len(words) < len(spans):
        raise UserInputError(f"Brackets in “{_quoted(marked)}” are empty; put the word inside.")
    return text, words


def with_marks(text: str, words: Sequence[MarkedText]) -> str:
    r"""Put brackets around words, from left to right; brackets of the text become `\[`, `\]`."""
    edges = [0, *(edge for word in words for edge in (word.start, word.end)), len(text)]
    parts = [_SIGN.sub(r"\\\g<0>", text[a:b]) for a, b in pairwise(edges)]
    return "".join(f"[{part}]" if number % 2 else part for number, part in enumerate(parts))


def around(text: str, start: int, end: int, longest: int) -> tuple[str, str, str]:
    """Shorten a sentence to about `longest` characters: before a word, the word, after it."""
    room = max(longest - (end - start), 0)
    left = max(room // 2, room - (len(text) - end))  # more where less is needed on the other side
    first, last = max(start - left, 0), end + room - min(left, start)
    before, after = text[:start], text[end:]
    # Not within a word, where words have blanks between them.
    if first > 0:
        near = text[first - 1 : start]
        before = "… " + (near.partition(" ")[2] if " " in near else near[1:])
    if last < len(text):
        near = text[end : last + 1]
        after = (near.rpartition(" ")[0] if " " in near else near[:-1]) + " …"
    return before, text[start:end], after


def pieces_of(word: MarkedText, text: TokenizedText) -> tuple[int, ...]:
    """Positions of the tokens that share a character with the marked word, rising."""
    spans = text.offsets.tolist()
    if text.truncated and word.end > max(end for _, end in spans):
        raise UserInputError(
            f"“{_quoted(word.word)}” lies beyond the {len(text)} tokens the model can take; "
            f"{text.truncated} were left out. Shorten the sentence before it."
        )
    inside = [
        at for at, (start, end) in enumerate(spans) if end > start and word.overlaps(start, end)
    ]
    if not inside:
        raise UserInputError(f"“{_quoted(word.word)}” holds no character that BERT reads.")
    return tuple(inside)


class WordPair(NamedTuple):
    """Two words of one text, and the positions of their pieces in it, rising."""

    text: TokenizedText
    first: MarkedText
    second: MarkedText
    first_positions: tuple[int, ...]
    second_positions: tuple[int, ...]


def read_word_pair(bert: Bert, marked: str, text_pair: str | None = None) -> WordPair:
    """Find the tokens of the two marked words of a text; `text_pair` has no marks."""
    words = read_marks(marked)
    if len(words) != 2:
        raise UserInputError(
            f"“{_quoted(marked)}” marks {len(words)} words; put [brackets] around two."
        )
    text = InputText(words[0].text, text_pair).tokenize(bert)
    # Offsets start again at 0 in the second text, where no word is marked.
    offsets = text.offsets.copy()
    offsets[text.token_type_ids > 0] = 0
    first, second = (pieces_of(word, replace(text, offsets=offsets)) for word in words)
    if set(first) & set(second):
        raise UserInputError(
            f"“{words[0].word}” and “{words[1].word}” are parts of one token, "
            f"“{text.tokens[second[0]]}”; mark two separate words."
        )
    return WordPair(text, words[0], words[1], first, second)


def _quoted(marked: str) -> str:
    """What a message quotes of a sentence."""
    return shortened(marked.strip(), 60)
