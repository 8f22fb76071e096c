"""The lines of a byte range of a file; of a very long line, pieces."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import IO, Any, NamedTuple

LONGEST = 1_000_000  # bytes of a piece: a line may be as long as its file
BLOCK = 4_096  # bytes of lines that are looked through at once


class Piece(NamedTuple):
    """A line, or a piece of one."""

    offset: int  # byte at which the line begins in the file
    content: bytes  # its bytes, with the line's end
    first: bool  # whether the line begins here

    def decoded(self) -> str:
        """Its text; bytes that are no UTF-8 become U+FFFD."""
        return self.content.decode("utf-8" if self.offset else "utf-8-sig", errors="replace")


def digest_of_nothing() -> Any:
    """To be updated with what is read of a corpus."""
    return blake2b(digest_size=16)


@dataclass
class Lines:
    """The lines of a byte range whose ends are moved on to where a line begins.

    A range that begins inside a line leaves it to the one before, so that all give each line once.
    A line of more than `longest` bytes is cut at blanks, where it has any.
    """

    stream: IO[bytes]  # the file, from its beginning
    start: int  # first byte of the range
    end: int | None  # one past its last; None for the end of the file
    # whether any line of a block is wanted; if not, they are passed over
    wanted: Callable[[bytes], bool] = bool
    longest: int = LONGEST  # bytes of a piece at most
    digest: Any = field(default_factory=digest_of_nothing)  # of all bytes of the range

    def __iter__(self) -> Iterator[Piece]:
        """The pieces in their order."""
        at, begun, first = self._next_line(), 0, True
        for content in self._contents():
            whole = first and content.endswith(b"\n")
            end_fits = self.end is None or at + len(content) <= self.end
            if whole and end_fits and not self.wanted(content):
                at += len(content)
                self.digest.update(content)
                continue
            for line in io.BytesIO(content):  # other than splitlines(), at line feeds alone
                if first:
                    begun = at
                    if self.end is not None and at >= self.end:
                        return
                at += len(line)
                self.digest.update(line)
                yield Piece(begun, line, first)
                first = line.endswith(b"\n")

    def _next_line(self) -> int:
        """Go to where the first line begins that does not begin before `start`."""
        if not self.start:
            return 0
        at = self.start - 1
        if self.stream.seekable():
            self.stream.seek(at)
        else:  # a compressed file is unpacked up to there
            left = at
            while left and (passed := len(self.stream.read(min(left, LONGEST)))):
                left -= passed
        while content := self.stream.readline(LONGEST):
            at += len(content)
            if content.endswith(b"\n"):
                break
        return at

    def _contents(self) -> Iterator[bytes]:
        """Blocks of whole lines, and pieces of lines that are too long."""
        rest = b""
        while content := rest + self.stream.read(min(BLOCK, self.longest - len(rest))):
            if not content.endswith(b"\n") and len(content) < self.longest:
                content += self.stream.readline(self.longest - len(content))
            cut = len(content)
            if not content.endswith(b"\n"):  # at the end of the file nothing is cut
                feed = content.rfind(b"\n") + 1
                cut = feed or (cut if cut < self.longest else _cut(content))
            yield content[:cut]
            rest = content[cut:]


def _cut(content: bytes) -> int:
    """Where to cut a long line: after a blank, or else between two characters."""
    if blank := content.rfind(b" ", len(content) // 2) + 1:
        return blank
    cut = len(content) - 1
    while cut > len(content) - 4 and content[cut] & 0xC0 == 0x80:  # inside a character
        cut -= 1
    return cut
