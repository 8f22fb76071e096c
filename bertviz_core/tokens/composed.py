"""A text in the form in which words are looked for: cleaned as BERT does it, accents joined."""

import re
from collections.abc import Iterable, Iterator
from unicodedata import category, normalize

from tokenizers.normalizers import BertNormalizer

_CHARACTERS = [chr(code) for code in (*range(0xAD, 0x1F000), *range(0xE0001, 0xE01F0))]
_cleaning = BertNormalizer(True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
_MARKS = "".join(char for char in _CHARACTERS if category(char).startswith("M"))
# An accent, or a vowel sign of an Indian script. It belongs to the word of its letter, but is no
# `\w`. ASCII is ruled out first, because a search among so many takes time.
MARK = rf"[^\x00-\x7f](?<=[{_MARKS}])"
# What the tokenizer drops inside a word: soft hyphens, joiners, signs of direction.
DROPPED = "".join(
    char for char in _CHARACTERS if category(char) == "Cf" and not _cleaning.normalize_str(char)
)
_dropped = re.compile(rf"[^\x00-\x7f](?<=[{DROPPED}])")
# A letter and what may become one character with it: in Korean a vowel and a consonant.
_joined = re.compile(rf"(?s:.)(?:[^\x00-\x7f](?<=[{_MARKS}{DROPPED}\u1160-\u11ff]))*")


def composed(text: str) -> str:
    """The text without `DROPPED`; a letter and its accents are one character, if there is one."""
    return text if text.isascii() else normalize("NFC", _dropped.sub("", text))


def origins(text: str, places: Iterable[int]) -> Iterator[int]:
    """Where some characters of `composed(text)`, by rising places, begin in `text`."""
    start = end = first = last = 0
    letters = _joined.finditer(text)
    for place in places:
        while place >= last and (joined := next(letters, None)):
            (start, end), first = joined.span(), last
            last += len(composed(joined.group()))
        yield min(start + place - first, end - 1) if place < last else len(text)
