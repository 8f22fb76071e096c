"""A part of a corpus as passages: lines, or those of the texts of rows."""

import json
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from itertools import chain
from typing import IO, Any, NamedTuple

from bertviz_core.corpus.job import Job, Part
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.reading.columns import fitting
from bertviz_core.corpus.reading.files import file_format, opened, opened_parquet
from bertviz_core.errors import UserInputError
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

MAX_LINE = 1_000_000  # bytes; a longer line is cut between words
MAX_RECORD = 32_000_000  # bytes of a JSON line
LOOK = 4_096  # bytes of lines that are looked through at once
BATCH_BYTES = 8_000_000  # of a Parquet file at a time
DIGEST_SIZE = 16
Wanted = Callable[[str], bool]


class Passage(NamedTuple):
    """A piece of text in which words are looked for."""

    text: str  # without line breaks
    offset: int  # byte at which its line begins in the file, or number of its row
    row: Callable[[], Mapping[str, Any]]  # returns the values of its columns; few need them


def passages(
    job: Job, part: Part, tally: Receipt, wanted: Wanted = lambda text: True
) -> Iterator[Passage]:
    """The passages of lines that begin in a part; text that is not wanted may be left out."""
    kind = file_format(part.file.path)
    tally.bytes += part.size
    if kind == "text":
        return _of_text(part, tally, wanted)
    return (_of_parquet if kind == "parquet" else _of_json)(job, part, tally)


def digest_of(job: Job, part: Part) -> str:
    """The digest of what a part reads now, as `passages` puts it on its receipt."""
    tally = Receipt()
    deque(passages(job, part, tally, lambda text: False), maxlen=0)
    return tally.corpus


def values(job: Job, row: Mapping[str, Any], tally: Receipt) -> tuple[Any, ...]:
    """The values of the carried columns; what does not fit is left empty, and counted."""
    fit = []
    for column in job.carried:
        try:
            fit.append(fitting(row.get(column.name), column.kind))
        except (ValueError, OverflowError):
            fit.append(None)
            tally.unfit += 1
    return tuple(fit)


def _of_text(part: Part, tally: Receipt, wanted: Wanted) -> Iterator[Passage]:
    for offset, block in _blocks(part, tally, MAX_LINE):
        lines, at = BytesIO(block), offset
        while some := lines.readlines(LOOK):
            if wanted(b"".join(some).decode(errors="replace")):
                each = b"".join(some).splitlines(keepends=True)  # a CR alone ends a line, too
                yield from (Passage(text, place, dict) for place, text in _decoded(at, each))
            at = offset + lines.tell()


def _of_json(job: Job, part: Part, tally: Receipt) -> Iterator[Passage]:
    for offset, block in _blocks(part, tally, MAX_RECORD):
        for place, written in _decoded(offset, BytesIO(block)):
            if not written.strip():
                continue
            row = None
            with suppress(ValueError, RecursionError):
                row = json.loads(written)
            if not isinstance(row, dict) or not isinstance(text := row.get(job.text), str):
                tally.unreadable += 1
                continue
            for line in (without_lone_surrogates(text) if "\\u" in written else text).split("\n"):
                yield Passage(line, place, row.copy)


def _of_parquet(job: Job, part: Part, tally: Receipt) -> Iterator[Passage]:
    digest, number = blake2b(digest_size=DIGEST_SIZE), 0
    with opened_parquet(part.file) as (raw, table):
        names = [name for name in (job.text, *(c.name for c in job.carried))
                 if name in table.schema_arrow.names]  # fmt: skip
        if job.text not in names:
            raise UserInputError(f"{part.file.path} has no column “{job.text}” with the text.")
        for group in range(table.num_row_groups):
            stats = table.metadata.row_group(group)
            first, number = number, number + stats.num_rows
            if number <= part.start or first >= part.end:
                continue
            for column in map(stats.column, range(stats.num_columns)):
                if column.path_in_schema in names:
                    raw.seek(column.dictionary_page_offset or column.data_page_offset)
                    digest.update(raw.read(column.total_compressed_size))
            size = max(1, min(4_096, BATCH_BYTES * stats.num_rows // (stats.total_byte_size or 1)))
            for batch in table.iter_batches(size, row_groups=[group], columns=names):
                texts = batch.column(job.text).to_pylist()
                for row in range(max(part.start - first, 0), min(part.end - first, len(texts))):
                    if isinstance(text := texts[row], str):
                        one = batch.slice(row, 1)
                        for line in text.split("\n"):
                            yield Passage(line, first + row, lambda one=one: one.to_pylist()[0])  # type: ignore[misc]
                    else:
                        tally.unreadable += 1
                first += len(texts)
    tally.corpus = digest.hexdigest()


def _blocks(part: Part, tally: Receipt, longest: int) -> Iterator[tuple[int, bytes]]:
    """The lines of a part, some at a time with where they begin; then the digest of all bytes."""
    digest = blake2b(digest_size=DIGEST_SIZE)
    end = None if part.end >= part.file.length else part.end
    with opened(part.file) as stream:
        for offset, block in blocks(stream, part.start, end, longest):
            digest.update(block)
            yield offset, block
    tally.corpus = digest.hexdigest()


def _decoded(at: int, lines: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Each line with where it begins; bytes that are no UTF-8 become U+FFFD."""
    for line in lines:
        yield at, line.decode("utf-8" if at else "utf-8-sig", errors="replace")
        at += len(line)


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
