"""Find the marked word of a sentence, `I love my pet [python]`, or all of several."""

import re
from dataclasses import dataclass

from bertviz_core.errors import UserInputError

_TOKENS_OF_READER = re.compile(r"\\([\[\]\\])|([\[\]])|([^\[\]\\]+|\\)", re.DOTALL)
SPECIALS = ("CLS", "SEP", "MASK", "UNK", "PAD")
_SPECIAL = re.compile(r"\[(?:" + "|".join(SPECIALS) + r")\]")


@dataclass(frozen=True)
class MarkedText:
    """A sentence without its mark, and where the marked word stands.

    Attributes:
        text: The sentence as BERT reads it.
        start: First character of the word.
        end: One past its last character.
    """

    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text[self.start : self.end]


def read_mark(marked: str) -> MarkedText:
    r"""Take the mark off a sentence.

    `[word]` marks; `\[`, `\]` and `\\` are the literal signs; `[MASK]` and BERT's other special
    tokens are read as those tokens. Without a mark the only word of the text is meant.

    Args:
        marked: A sentence with at most one mark.

    Returns:
        The sentence and the span of the word, without surrounding white space.

    Raises:
        UserInputError: There is no mark among several words, more than one, an empty one, or a
            bracket without its partner.
    """
    text, spans = _strip(marked)
    if len(spans) > 1:
        raise UserInputError(
            f"“{marked.strip()}” marks {len(spans)} words; put brackets around one only."
        )
    if not spans:
        return _only_word(text, marked)
    return _trimmed(text, *spans[0], marked)


def read_marks(marked: str) -> list[MarkedText]:
    r"""Take all marks off a sentence: `The [king] spoke to the [queen]`.

    Args:
        marked: A sentence with any number of marks, written as for `read_mark`.

    Returns:
        One entry a mark, in the order they stand; all hold the same sentence. Empty when nothing
        is marked.

    Raises:
        UserInputError: A mark is empty, or a bracket has no partner.
    """
    text, spans = _strip(marked)
    return [_trimmed(text, start, end, marked) for start, end in spans]


def _trimmed(text: str, start: int, end: int, marked: str) -> MarkedText:
    inner = text[start:end]
    if not inner.strip():
        raise UserInputError(f"The brackets in “{marked.strip()}” are empty; put the word inside.")
    start += len(inner) - len(inner.lstrip())
    end -= len(inner) - len(inner.rstrip())
    return MarkedText(text, start, end)


def _strip(marked: str) -> tuple[str, list[tuple[int, int]]]:
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    length, opened, place = 0, -1, 0
    while place < len(marked):
        special = _SPECIAL.match(marked, place)
        if special:
            piece, place = special[0], special.end()
        else:
            found = _TOKENS_OF_READER.match(marked, place)
            assert found is not None  # the three alternatives cover every character
            place = found.end()
            literal, bracket, plain = found.groups()
            if bracket == "[":
                if opened >= 0:
                    raise UserInputError(f"“{marked.strip()}” opens a bracket inside another one.")
                opened = length
                continue
            if bracket == "]":
                if opened < 0:
                    raise UserInputError(
                        f"“{marked.strip()}” closes a bracket that was not opened; "
                        r"write \] for the sign itself."
                    )
                spans.append((opened, length))
                opened = -1
                continue
            piece = literal or plain
        parts.append(piece)
        length += len(piece)
    if opened >= 0:
        raise UserInputError(
            f"“{marked.strip()}” opens a bracket and does not close it; "
            r"write \[ for the sign itself."
        )
    return "".join(parts), spans


def _only_word(text: str, marked: str) -> MarkedText:
    words = [m for m in re.finditer(r"\S+", text) if any(c.isalnum() for c in m[0])]
    words = words or list(re.finditer(r"\S+", text))
    if not words:
        raise UserInputError("The sentence is empty; type one with a word in [brackets].")
    if len(words) > 1:
        raise UserInputError(
            f"“{marked.strip()}” has {len(words)} words; put [brackets] around the one to look at."
        )
    start, end = words[0].span()
    if any(c.isalnum() for c in words[0][0]):
        while not text[start].isalnum():
            start += 1
        while not text[end - 1].isalnum():
            end -= 1
    return MarkedText(text, start, end)
