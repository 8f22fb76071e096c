"""A part of a corpus as passages: lines, paragraphs, or the texts of rows."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from bertviz_core.corpus.job import Job, Part
from bertviz_core.corpus.reading.columns import fitting, is_labelled
from bertviz_core.corpus.reading.files import codec_of, file_format, opened, opened_parquet
from bertviz_core.corpus.reading.pieces import Lines, Piece
from bertviz_core.corpus.schema import SENSE, Receipt
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import is_header, split_label
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

# Bytes. A longer line is a paragraph by itself, a shorter one is joined with those around it.
WRAPPED = 200
LONGEST_PARAGRAPH = 100_000  # characters, of lines that are joined
LONGEST_RECORD = 32_000_000  # bytes of a JSON line
_BATCH_BYTES = 8_000_000  # of a Parquet file at a time
Values = tuple[Any, ...]


class Passage(NamedTuple):
    """A piece of text in which words are looked for."""

    text: str  # without line breaks
    offset: int  # byte at which its line or paragraph begins in the file, or number of its row
    values: Callable[[], Values]  # gives the values of the carried columns; few passages are asked


def passages(
    job: Job, part: Part, tally: Receipt, wanted: Callable[[str], bool] | None = None
) -> Iterator[Passage]:
    """Read a part: its passages, in the order of the file.

    Each passage belongs to the part in which its line begins, or the edge of its paragraph; see
    `Lines`. Where `wanted` says no of some text, its passages may be left out: most of a corpus is
    passed over in large blocks.
    """
    kind = file_format(part.file.path)
    if kind == "parquet":
        return _of_parquet(job, part, tally)
    if kind == "json":
        return _of_json(job, part, tally)
    return _of_text(job, part, tally, wanted or (lambda text: True))


def _of_text(
    job: Job, part: Part, tally: Receipt, wanted: Callable[[str], bool]
) -> Iterator[Passage]:
    named = [column.name for column in job.carried]
    labelled = SENSE in named and is_labelled(part.file)
    empty: Values = (None,) * len(named)
    if labelled or job.split == "lines":
        sense = None

        def wants(block: bytes) -> bool:
            return wanted(block.decode("utf-8", errors="replace"))

        for piece in _pieces(part, tally, wanted=wants):
            text = piece.decoded()
            if labelled and piece.first:
                if is_header(text):
                    continue
                text, sense = split_label(text)
            values = tuple(sense if name == SENSE else None for name in named) if sense else empty
            yield Passage(text, piece.offset, lambda values=values: values)  # type: ignore[misc]
        return
    lines = (
        (piece.offset, piece.decoded(), len(piece.content) > WRAPPED or not piece.first)
        for piece in _pieces(part, tally, is_edge=_is_edge)
    )
    for offset, text in paragraphs(lines):
        yield Passage(text, offset, lambda: empty)


def _is_edge(line: bytes) -> bool:
    """Whether a paragraph surely does not go on with this line, whatever stands before it."""
    return len(line) > WRAPPED or not line.strip()


def paragraphs(lines: Iterable[tuple[int, str, bool]]) -> Iterator[tuple[int, str]]:
    """Join the lines of running text: where each begins, its text, whether it stands by itself.

    Blank lines end a paragraph, and so do long lines: text that is wrapped has none.
    """
    begun, joined, length = 0, list[str](), 0
    for offset, line, alone in lines:
        text = line.strip()
        if joined and (alone or not text or length > LONGEST_PARAGRAPH):
            yield begun, " ".join(joined)
            joined, length = [], 0
        if alone and text:
            yield offset, text
        elif text:
            begun = begun if joined else offset
            joined.append(text)
            length += len(text)
    if joined:
        yield begun, " ".join(joined)


def _of_json(job: Job, part: Part, tally: Receipt) -> Iterator[Passage]:
    for piece in _pieces(part, tally, longest=LONGEST_RECORD):
        row = None
        if piece.first:  # the rest of a line that is too long is no JSON, either
            written = piece.decoded()
            if not written.strip():
                continue
            with suppress(ValueError, RecursionError):
                row = json.loads(written)
        if not isinstance(row, dict) or not isinstance(text := row.get(job.text), str):
            tally.unreadable += piece.first
            continue
        values = partial(_values, job, row, tally)
        for passage in _texts(job, without_lone_surrogates(text) if "\\u" in written else text):
            yield Passage(passage, piece.offset, values)


def _of_parquet(job: Job, part: Part, tally: Receipt) -> Iterator[Passage]:
    with opened_parquet(part.file) as table:
        there = [c.name for c in job.carried if c.name in table.schema_arrow.names]
        if job.text not in table.schema_arrow.names:
            raise UserInputError(f"{part.file.path} has no column “{job.text}” with the text.")
        number = sum(part.file.row_groups[: part.start])
        rows_in_all = sum(part.file.row_groups)
        for group in range(part.start, part.end) if part.file.row_groups else ():
            stats = table.metadata.row_group(group)
            size = max(1, min(4_096, _BATCH_BYTES * stats.num_rows // (stats.total_byte_size or 1)))
            for batch in table.iter_batches(size, row_groups=[group], columns=[job.text, *there]):
                for row, text in enumerate(batch.column(job.text).to_pylist()):
                    if isinstance(text, str):
                        values = partial(_row_values, job, batch, row, tally)
                        for passage in _texts(job, text):
                            yield Passage(passage, number + row, values)
                    else:
                        tally.unreadable += 1
                number += batch.num_rows
            tally.bytes += part.file.size * stats.num_rows // max(rows_in_all, 1)


def _row_values(job: Job, batch: Any, row: int, tally: Receipt) -> Values:
    return _values(job, batch.slice(row, 1).to_pylist()[0], tally)


def _values(job: Job, row: Mapping[str, Any], tally: Receipt) -> Values:
    """The values of the carried columns; what does not fit is left empty, and counted."""
    values = []
    for column in job.carried:
        try:
            values.append(fitting(row.get(column.name), column.kind))
        except (ValueError, OverflowError):
            values.append(None)
            tally.unfit += 1
    return tuple(values)


def _texts(job: Job, text: str) -> Iterator[str]:
    """The passages of a row's text."""
    lines = text.split("\n")
    if job.split == "lines":
        yield from lines
    else:
        marked = ((0, line, len(line) > WRAPPED) for line in lines)
        yield from (paragraph for _, paragraph in paragraphs(marked))


def _pieces(part: Part, tally: Receipt, **options: Any) -> Iterator[Piece]:
    """The lines of a part; how far it has been read is counted. For the options see `Lines`."""
    packed = codec_of(part.file.path) is not None
    before = tally.bytes
    with opened(part.file) as stream:
        lines = Lines(stream, part.start, None if packed else part.end, **options)
        for piece in lines:
            tally.bytes = before if packed else before + lines.read
            yield piece
    tally.bytes = before + (part.file.size if packed else lines.read)
