"""Bytes to text: one reader for uploads, the files of a corpus, and standard input."""

import codecs
import io
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import IO, Any

from bertviz_core.errors import UserInputError

UTF8 = ("UTF-8", "UTF-8-SIG")  # without and with a mark at the beginning
# Marks that a text may begin with; one of UTF-32 begins with one of UTF-16.
_MARKS = {
    "UTF-8-SIG": (codecs.BOM_UTF8,),
    "UTF-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "UTF-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
# What a text without a mark may be in. Where two fit equally well, the first is taken.
GUESSES = (
    "UTF-16-LE UTF-16-BE Windows-1252 Windows-1250 Windows-1251 Windows-1253 Windows-1254 "
    "Windows-1255 Windows-1256 KOI8-R CP932 EUC-JP GB18030 Big5 CP949"
).split()
_NAMES = [codecs.lookup(name).name for name in GUESSES]  # as Python calls them
_UNKNOWN = "{} is not text, or in an encoding that is not known here; save it as UTF-8."
_MAX_UNREADABLE = 0.2  # share of the characters
PIECE = 100_000  # characters
_MAX_LOOK = 500  # lines with other characters than ASCII that a guess looks at


def encoding_of(content: bytes, name: str) -> tuple[str, str]:
    """The encoding of a text, or of its beginning, and a sentence if that is a guess, else "".

    UTF-8 with single bytes that are damaged is UTF-8. A UserInputError for what is not text, by the
    name that people know it by.
    """
    for encoding, marks in _MARKS.items():
        if content.startswith(marks):
            return encoding, ""
    lines = [content]
    if content.count(b"\0") * 100 <= len(content):  # else UTF-16, which has one in each blank
        with suppress(UnicodeDecodeError):
            codecs.utf_8_decode(content)  # the last character may be cut
            return UTF8[0], ""
        text = content.decode(errors="replace")
        damaged = text.count("\ufffd")
        foreign = len(text) - len(text.encode("ascii", "ignore"))
        if 2 * damaged <= foreign:
            return UTF8[0], ""
        # Any encoding fits ASCII: its lines would say nothing.
        lines = [line for line in content.split(b"\n") if not line.isascii()]
    from charset_normalizer import from_bytes

    fit = [
        (one.chaos, -one.coherence, _NAMES.index(codecs.lookup(alias).name))
        for one in from_bytes(b"\n".join(islice(lines, _MAX_LOOK)), cp_isolation=GUESSES)
        for alias in one.could_be_from_charset
    ]
    if not fit:
        raise UserInputError(_UNKNOWN.format(name))
    guess = GUESSES[min(fit)[-1]]
    return guess, (
        f"{name} is not UTF-8; it is read as {guess}, which is a guess. If letters are wrong, save "
        "it as UTF-8."
    )


def decoded_lines(content: bytes, name: str = "The file") -> tuple[list[str], str]:
    """The lines of a text, and what `encoding_of` says of it, with its errors."""
    encoding, guess = encoding_of(content, name)
    text = content.decode(encoding, "replace")
    if "\0" in text or text.count("\ufffd") > _MAX_UNREADABLE * len(text):
        raise UserInputError(_UNKNOWN.format(name))
    lines = io.StringIO(text, newline=None)  # each ends in LF, CR or both
    return [line.rstrip("\n") for line in lines], guess


class Pieces(io.RawIOBase):
    """Pieces of bytes, one after the other as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = filter(None, pieces)  # an empty one would be taken for the end
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._left = self._left or next(self._pieces, b"")
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


def as_utf8(stream: IO[bytes], encoding: str) -> Pieces:
    """A text in another encoding, read from its beginning, as UTF-8; each line ends in a "\\n"."""
    text = io.TextIOWrapper(stream, encoding, errors="replace")
    return Pieces(iter(lambda: text.read(PIECE).encode(), b""))
