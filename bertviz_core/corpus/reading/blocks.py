"""A byte range of a file as whole lines, so that ranges side by side give each line once."""

import sys
from collections.abc import Iterator
from itertools import chain
from typing import IO


def blocks(
    stream: IO[bytes], start: int, end: int | None, longest: int
) -> Iterator[tuple[int, bytes]]:
    """Read a byte range as blocks of whole lines, each with the byte at which it begins.

    Its ends, and those of each block, are moved on to where a line begins; where none does within
    `longest` bytes, to the next word. A range without an end goes on to that of the file.
    """
    base = max(start - 1, 0)  # where the window begins
    if stream.seekable():
        stream.seek(base)
    else:  # a compressed file is unpacked up to there
        left = base
        while left and (passed := len(stream.read(min(left, longest)))):
            left -= passed
    window = stream.readline(longest)
    at = base + _next_line(window, longest) if start else 0
    last, size = end or sys.maxsize, max(longest // 16, 1)
    for edge in chain(range(start + size, last, size), [last]):
        ahead = edge - 1 - base
        window += stream.read(max(ahead - len(window), 0))
        rest = window[ahead:]
        if b"\n" not in rest:
            window += stream.readline(longest - len(rest))
            rest = window[ahead:]
        until = base + min(ahead, len(window)) + _next_line(rest, longest)
        if until > at:
            yield at, window[at - base : until - base]
        if not rest:
            return
        at, window, base = until, rest, edge - 1


def _next_line(rest: bytes, longest: int) -> int:
    """How many bytes on the next line begins, or in too long a line the next word."""
    if found := rest.find(b"\n", 0, longest) + 1:
        return found
    if len(rest) < longest:  # the end of the file
        return len(rest)
    blank = rest.find(b" ", 0, longest) + 1
    # Without a blank between two characters, of which one has at most four bytes.
    return blank or next((i for i in range(1, 4) if rest[i : i + 1] and rest[i] & 0xC0 != 0x80), 1)
