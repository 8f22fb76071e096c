"""Running text into sentences, by the rules of pysbd."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from bertviz_core.errors import UserInputError

# Characters that the rules see at once. They take a fixed time and one that grows with the square:
# 6 ms for 600 characters, a minute for 100,000.
BLOCK = 600
# A sentence surely ends after a word of four small letters: "Prof." has three.
_SURE_END = re.compile(r"""(?<=[a-z]{4}[.!?])["”’)\]]*\s+(?=["“‘(\[]*[A-Z])""")


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
    """Split a block of running text into sentences; nothing but blanks is lost.

    References:
        Sadvilkar and Neumann (2020), "PySBD: Pragmatic Sentence Boundary Disambiguation".
    """
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
