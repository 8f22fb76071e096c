"""A part of a corpus as passages: lines, or those of the texts of rows."""

import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from itertools import chain, islice
from typing import IO, Any, NamedTuple

from bertviz_core.corpus.job import Job, Part
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.reading import files
from bertviz_core.corpus.reading.columns import fitting
from bertviz_core.corpus.reading.csv_rows import names_alone
from bertviz_core.errors import UserInputError

MAX_LINE = 1_000_000  # bytes; of a longer line no more is read at once, up to the end of a word
# Characters of a paragraph. Around each word of a longer line 2,000 characters went through the
# model, which took five times as long as the same text with a sentence a line.
MAX_PARAGRAPH = 10_000
# Of at most 250 characters, up to the last end of a sentence among them, or else of a word.
_PIECES = re.compile(r".{1,250}(?:(?<=[.!?])\s|(?<=[。！？])|$)|.{1,250}\s|.{1,250}")
_TEXT_COMMENT = re.compile(r"#\s*text\s*=\s*(\S.*)")  # of CoNLL-U
_WORD_ROW = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?\t([^\t]+)")
LOOK = 4_096  # bytes of lines that are looked through at once
BATCH_BYTES = 8_000_000  # of a Parquet file at a time
DIGEST_SIZE = 16
Wanted = Callable[[str], bool]


class Passage(NamedTuple):
    """A piece of text in which words are looked for."""

    text: str  # a line, or a piece of a very long one
    offset: int  # byte at which its line begins in the file, or number of its row
    row: Mapping[str, Any]  # the values of its columns


def passages(
    job: Job, part: Part, tally: Receipt, wanted: Wanted = lambda text: True
) -> Iterator[Passage]:
    """The passages of lines that begin in a part; text that is not wanted may be left out."""
    kind = files.file_format(part.file.path)
    tally.bytes += part.size
    if kind == "text":
        return _of_text(part, tally, wanted)
    if kind == "conllu":
        return _of_conllu(part, tally)
    return (_of_json if kind == "json" else _of_table)(job, part, tally)


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
    for offset, block in _blocks(part, _end(part), tally, MAX_LINE):
        lines = BytesIO(block)
        at = offset
        while some := lines.readlines(LOOK):
            if wanted(b"".join(some).decode(errors="replace")):
                each = b"".join(some).splitlines(keepends=True)  # a CR alone ends a line, too
                for place, line in _decoded(at, each):
                    for text in _pieces(line):
                        yield Passage(text, place, {})
            at = offset + lines.tell()


def _of_conllu(part: Part, tally: Receipt) -> Iterator[Passage]:
    """The sentences that follow a blank line of the part; the first of a file follows none.

    Where no comment has the text of a sentence, its words are put together.
    """
    words: list[str] = []
    is_here = part.start == 0  # not the rest of a sentence of the part before
    begins = covered = 0  # where the sentence does; the last word that "3-4 don't" stands for
    each = _blocks(part, None, tally, MAX_LINE)  # the last sentence may go on behind the part
    lines = (line for offset, block in each for line in _decoded(offset, BytesIO(block)))
    for place, line in chain(lines, [(sys.maxsize, "")]):
        if not line.strip():
            text = "".join(words).strip()
            given = text.strip("_ ")  # a word may be left out for the sake of a licence
            tally.unreadable += bool(words) and not given
            yield from (Passage(one, begins, {}) for one in _pieces(text) if given)
            if place >= (_end(part) or sys.maxsize):
                return
            words, is_here, begins, covered = [], True, place + len(line), 0
        elif is_here and (comment := _TEXT_COMMENT.match(line)):
            words, covered = [], sys.maxsize
            yield from (Passage(one, place, {}) for one in _pieces(comment[1].rstrip()))
        elif is_here and covered < sys.maxsize and not line.startswith("#"):
            words.append("")  # a sentence, though none of its rows may be read
            if (row := _WORD_ROW.match(line)) and int(row[1]) > covered:
                covered = int(row[2] or 0)
                words.append(row[3] + " " * ("SpaceAfter=No" not in line))


def _of_json(job: Job, part: Part, tally: Receipt) -> Iterator[Passage]:
    for offset, block in _blocks(part, _end(part), tally, files.MAX_RECORD):
        for place, written in _decoded(offset, BytesIO(block)):
            if written.strip():
                row = None
                with suppress(ValueError, RecursionError):
                    row = files.json_value(written)
                yield from _of_row(job, tally, place, row)


def _of_table(job: Job, part: Part, tally: Receipt) -> Iterator[Passage]:
    rows = _parquet_rows if files.file_format(part.file.path) == "parquet" else _csv_rows
    digest = blake2b(digest_size=DIGEST_SIZE)
    for number, row in enumerate(rows(job, part), part.start):
        digest.update(repr(row).encode())
        yield from _of_row(job, tally, number, row)
    tally.corpus = digest.hexdigest()


def _csv_rows(job: Job, part: Part) -> Iterator[dict[str, str] | None]:
    is_last = part.end >= part.file.length
    with files.opened_csv(part.file, part.start) as table:
        names = next(table) or ()
        _check_column(job, part, names)
        for cells in islice(table, None if is_last else part.end - part.start):
            yield dict(zip(names, cells, strict=True)) if cells else None


def _parquet_rows(job: Job, part: Part) -> Iterator[dict[str, Any]]:
    with files.opened_parquet(part.file) as table:
        known = names_alone(table.schema_arrow.names)
        _check_column(job, part, known)
        names = [name for name in (job.text, *(c.name for c in job.carried)) if name in known]
        first = 0
        for group in range(table.num_row_groups):
            stats = table.metadata.row_group(group)
            if first + stats.num_rows <= part.start or first >= part.end:
                first += stats.num_rows
                continue
            size = max(1, min(4_096, BATCH_BYTES * stats.num_rows // (stats.total_byte_size or 1)))
            for batch in table.iter_batches(size, row_groups=[group], columns=names):
                yield from batch.to_pylist()[max(part.start - first, 0) : max(part.end - first, 0)]
                first += batch.num_rows


def _check_column(job: Job, part: Part, names: Sequence[str]) -> None:
    if job.text not in names:
        raise UserInputError(f"{part.file.path} has no column “{job.text}” with the text.")


def _of_row(job: Job, tally: Receipt, place: int, row: Any) -> Iterator[Passage]:
    text = row.get(job.text) if isinstance(row, dict) else None
    if isinstance(text, str):
        for line in _pieces(text):
            yield Passage(line, place, row)
    else:
        tally.unreadable += 1


def _pieces(text: str) -> Iterator[str]:
    """The lines of a text; of one that is too long for a paragraph pieces of some sentences."""
    for line in text.removesuffix("\n").split("\n"):
        yield from [line] if len(line) <= MAX_PARAGRAPH else _PIECES.findall(line)


def _blocks(
    part: Part, end: int | None, tally: Receipt, longest: int
) -> Iterator[tuple[int, bytes]]:
    """The lines of a part, some at a time with where they begin; and the digest of their bytes."""
    digest = blake2b(digest_size=DIGEST_SIZE)
    with files.opened(part.file) as stream:
        for offset, block in blocks(stream, part.start, end, longest):
            digest.update(block)
            tally.corpus = digest.hexdigest()
            yield offset, block


def _end(part: Part) -> int | None:
    return None if part.end >= part.file.length else part.end


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
    last = end or sys.maxsize
    size = max(longest // 16, 1)
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
    if line_end := rest.find(b"\n", 0, longest) + 1:
        return line_end
    if len(rest) < longest:  # the end of the file
        return len(rest)
    blank = rest.find(b" ", 0, longest) + 1
    # Without a blank between two characters, of which one has at most four bytes.
    return blank or next((i for i in range(1, 4) if rest[i : i + 1] and rest[i] & 0xC0 != 0x80), 1)
