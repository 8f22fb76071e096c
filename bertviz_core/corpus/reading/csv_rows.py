"""The rows of CSV and TSV, for the command and for a visitor's file."""

import codecs
import io
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING

from bertviz_core.decoding import Pieces
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import HEADER, is_header

if TYPE_CHECKING:
    from pyarrow import csv

LOOK_BYTES = 4_000_000  # that tell whether cells of TSV are quoted
MAX_COLUMNS = 2_000
MAX_LEFT_OUT = 10_000  # rows of a visitor's table
# Bytes: a quote that is never closed would take the rest of the file. Arrow 26 reads 32 blocks of
# so many bytes ahead.
MAX_ROW = 250_000
# Possessive: without it 4 MB of a cell that is never closed took 600 MB.
_QUOTED_CELL = re.compile(rb'"(?:[^"]++|"")*+"\r?')
_IS_TSV = re.compile(r"\.tsv(\.(gz|bz2|zst))?$", re.IGNORECASE)

Row = tuple[str, ...] | None


def csv_rows(
    stream: IO[bytes],
    path: str,
    start: int = 0,
    quote: str | None = None,
    most_left_out: int | None = None,
) -> Generator[Row, None, None]:
    """The header, `names_alone`, then each row as text from number `start` on.

    None stands in place of a row with more or fewer cells than the header; an error says so where
    there are over `most_left_out`. `stream` is UTF-8, damaged bytes become U+FFFD; its `path` says
    whether it is TSV. `quote` is what cells may stand in, or ""; None tells it by the first 4 MB.
    """
    import pyarrow as pa
    from pyarrow import csv

    is_tsv = _IS_TSV.search(path) is not None
    beginning = stream.read(LOOK_BYTES if quote is None else MAX_ROW)
    if not beginning.strip():
        raise UserInputError(f"{path} is empty.")
    header = beginning.split(b"\n", 1)[0].decode(errors="replace")
    # A name in quotes may hold any of them.
    delimiter = "\t" if is_tsv else max(",;\t", key=re.sub('"[^"]*"', "", header).count)
    if header.count(delimiter) >= MAX_COLUMNS:
        raise UserInputError(f"{path} has more than {MAX_COLUMNS:,} columns.")
    quote = quote_of(beginning, path) if quote is None else quote
    irregular: set[int] = set()  # numbers of rows; the header has 1
    left_out = 0

    def leave_out(row: csv.InvalidRow) -> str:
        nonlocal left_out
        left_out += 1
        irregular.add(row.number)
        return "skip" if most_left_out is None or left_out <= most_left_out else "error"

    try:
        with csv.open_csv(
            io.BufferedReader(Pieces(_valid_utf8(beginning, stream))),
            # The columns are called f0, f1, ...: in the header two may have one name.
            csv.ReadOptions(use_threads=False, block_size=MAX_ROW, autogenerate_column_names=True),
            csv.ParseOptions(
                delimiter=delimiter,
                quote_char=quote or False,
                newlines_in_values=bool(quote),
                invalid_row_handler=leave_out,
            ),
            csv.ConvertOptions(
                column_types={f"f{place}": pa.string() for place in range(MAX_COLUMNS)},
                strings_can_be_null=False,
            ),
            pa.system_memory_pool(),  # that of Arrow keeps some 10 MB for what comes
        ) as reader:
            yield from _rows(reader, irregular, start)
    except pa.ArrowInvalid as error:
        raise UserInputError(
            f"{path} is damaged: it has a row of over {MAX_ROW:,} bytes, as from a quote that is "
            "never closed, or too many rows with more or fewer cells than its header."
        ) from error


def _rows(reader: "csv.CSVStreamingReader", irregular: set[int], start: int) -> Iterator[Row]:
    """The header and the rows from a number on; blocks before it stay in Arrow."""
    number = 1
    first = start + 2
    for batch in reader:
        if number == 1:
            yield names_alone([column[0].as_py() for column in batch.columns])
            batch = batch.slice(1)
            number = 2
        end = number + len(batch)
        for left_out in sorted(irregular):
            end += number <= left_out < end
        columns = [column.to_pylist() for column in batch.columns] if end > first else []
        for cells in zip(*columns, strict=True):
            while number in irregular:
                if number >= first:
                    yield None
                number += 1
            if number >= first:
                yield cells
            number += 1
        number = end
        irregular.difference_update([left_out for left_out in tuple(irregular) if left_out < end])
    yield from [None] * sum(left_out >= max(number, first) for left_out in irregular)


def names_alone(names: Sequence[str]) -> tuple[str, ...]:
    """The names of columns without blanks around them; "" for those that several columns have."""
    stripped = [name.strip() for name in names]
    return tuple(name if stripped.count(name) == 1 else "" for name in stripped)


def tabs_in_each(lines: Iterable[str]) -> int:
    """How many tabs each line of a table has; 0 for text, whose lines may begin with one.

    Blank lines, single words, tags and comments may stand between the rows of a table.
    """
    rows = [
        line
        for line in lines
        if "\t" in line or (" " in (text := line.strip()) and text[0] not in "<#")
    ]
    counts = {row.count("\t") for row in rows}
    return counts.pop() if len(counts) == 1 and any("\t" in row.strip() for row in rows) else 0


def table_of(lines: Sequence[str], path: str) -> tuple[IO[bytes], str] | None:
    """A visitor's file as a table with a header: CSV, TSV, or lines with as many tabs each.

    The latter have no header, so the first row stands there, too. None for lines of text.
    """
    if not path.lower().endswith((".csv", ".tsv")):
        if any(map(is_header, lines[:1])) or not tabs_in_each(lines):
            return None
        rows = [line for line in lines if "\t" in line]
        lines = [rows[0], *rows]
        path += ".tsv"
    return io.BytesIO("\n".join(lines).encode()), path


def lines_of_table(
    stream: IO[bytes], path: str, text: int, label: int | None = None
) -> Iterator[str | None]:
    """The rows as lines that `find_occurrences` reads, by the numbers of two columns, from 0.

    None stands in place of a row that `csv_rows` leaves out.
    """
    rows = csv_rows(stream, path, most_left_out=MAX_LEFT_OUT)
    next(rows)
    if label is not None:
        yield HEADER
    for cells in rows:
        if cells is None:
            yield None
            continue
        sentence = " ".join(cells[text].split())
        yield sentence if label is None else f"{' '.join(cells[label].split())}\t{sentence}"


def quote_of(beginning: bytes, path: str) -> str:
    """What cells may stand in: double quotes in CSV, and in TSV whose quotes all are around cells.

    Many programs write TSV without quotes: a quote in it is a sign like any other.
    """
    lines = beginning.removeprefix(codecs.BOM_UTF8).split(b"\n")
    whole = lines[:-1] if len(beginning) == LOOK_BYTES else lines
    cells = [cell for line in whole if b'"' in line for cell in line.split(b"\t") if b'"' in cell]
    in_quotes = cells and all(map(_QUOTED_CELL.fullmatch, cells))
    return '"' if in_quotes or not _IS_TSV.search(path) else ""


def _valid_utf8(beginning: bytes, stream: IO[bytes]) -> Iterator[bytes]:
    """What Arrow reads, in a thread of its own; a header alone needs a line break at its end."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    yield decoder.decode(beginning).encode()
    while some := stream.read(MAX_ROW):
        yield decoder.decode(some).encode()
    yield decoder.decode(b"", final=True).encode() + b"\n"
