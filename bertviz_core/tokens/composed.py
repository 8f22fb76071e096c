"""A text in the form in which words are looked for: cleaned as BERT does it, accents joined."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from unicodedata import category, normalize

from tokenizers.normalizers import BertNormalizer

# All marks and signs of format are in these; to ask for each character there is takes long.
_BLOCKS = (
    *((0xAD, 0x3800), (0xA000, 0xB000), (0xF800, 0x12000), (0x13000, 0x13800)),
    *((0x16800, 0x17000), (0x1B800, 0x1C000), (0x1C800, 0x1F000), (0xE0000, 0xE0800)),
)


def _codes(*kinds: str) -> list[int]:
    """The characters of some of Unicode's categories."""
    codes = (code for block in _BLOCKS for code in range(*block))
    return [code for code in codes if category(chr(code)) in kinds]


_cleaning = BertNormalizer(True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
_runs = [
    [code for _, code in run]
    for _, run in groupby(enumerate(_codes("Mn", "Mc", "Me")), lambda each: each[1] - each[0])
]
_MARKS = "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in _runs)  # runs compile faster
# An accent, or a vowel sign of an Indian script. It belongs to the word of its letter, but is no
# `\w`. ASCII is ruled out first, because a search among so many takes time.
MARK = rf"[^\x00-\x7f](?<=[{_MARKS}])"
# What the tokenizer drops inside a word: soft hyphens, joiners, signs of direction.
DROPPED = "".join(char for char in map(chr, _codes("Cf")) if not _cleaning.normalize_str(char))
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
