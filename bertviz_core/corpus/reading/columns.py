"""Which columns of a corpus are carried along with its occurrences, and their values."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from bertviz_core.corpus.job import Carried, CorpusFile, Kind
from bertviz_core.corpus.part_files import COLUMNS, LAYER
from bertviz_core.corpus.reading.csv_rows import LOOK_BYTES, MAX_COLUMNS
from bertviz_core.corpus.reading.files import (
    CONLLU_TEXT,
    file_format,
    json_value,
    opened,
    opened_csv,
    opened_parquet,
)
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import MAX_SENTENCE

if TYPE_CHECKING:
    import pyarrow as pa

LOOK_ROWS = 1_000  # of a file that are looked at
EMPTY = ("", "NA", "NaN")  # cells of CSV: as Python, R and pandas write nothing


def choose_columns(
    files: Sequence[CorpusFile], text: str, wanted: Sequence[str] | None = None
) -> tuple[Carried, ...]:
    """Choose the columns to carry along: `wanted`, or all that fit; the first file tells."""
    import pyarrow as pa

    kinds: dict[str, Kind | None] = {}
    first = {file_format(file.path): file for file in reversed(files)}
    if "conllu" in first:
        with suppress(OSError), opened(first["conllu"]) as stream:
            if CONLLU_TEXT.encode() not in stream.read(LOOK_BYTES):
                raise UserInputError(
                    f"{first['conllu'].path} has no sentence, a line “{CONLLU_TEXT}…”."
                )
    for format, look in (("parquet", _of_parquet), ("csv", _of_csv), ("json", _of_json)):
        if format in first:
            path = first[format].path
            # One that cannot be read: its worker says why.
            with suppress(OSError, ValueError, pa.ArrowException):
                fields = list(islice(look(first[format]), MAX_COLUMNS + 1))
                if len(fields) > MAX_COLUMNS:
                    raise UserInputError(f"{path} has more than {MAX_COLUMNS:,} columns.")
                count = Counter(field.name for field in fields)
                once = (field for field in fields if count[field.name] == 1)
                of_file = {field.name: _arrow_kind(field.type) for field in once}
                texts = [name for name, kind in of_file.items() if kind == "string"]
                if text not in texts:
                    has = f"{count[text]} columns" if count[text] > 1 else "no column"
                    raise UserInputError(
                        f"{path} has {has} “{text}” with text; name one of these with --text: "
                        f"{', '.join(texts) or 'there is none'}."
                    )
                kinds |= of_file
    # A file of occurrences has some names already.
    taken = {text, "", "row", *COLUMNS}
    fit = {
        name: Carried(name, kind)
        for name, kind in kinds.items()
        if kind and name not in taken and not name.startswith(LAYER)
    }
    for name in wanted or ():
        if name not in fit:
            raise UserInputError(
                f"“{name}” cannot be carried along; choose from {', '.join(fit) or 'none'}."
            )
    return tuple(fit[name] for name in (fit if wanted is None else dict.fromkeys(wanted)))


def fitting(value: Any, kind: Kind) -> Any:
    """The value converted to a kind; a ValueError or OverflowError if it does not fit."""
    import pyarrow as pa

    if value is None or (value == "" and kind != "string"):
        return None
    if kind == "string":
        written = str(value)
        if len(written) <= MAX_SENTENCE and not isinstance(value, dict | list | bytes):
            return written
    elif isinstance(value, str) or isinstance(value, bool) == (kind == "bool"):  # CSV holds text
        with suppress(pa.ArrowNotImplementedError):
            return pa.scalar(value).cast(kind).as_py()
    raise ValueError("does not fit")


def _of_parquet(file: CorpusFile) -> "Iterator[pa.Field]":
    with opened_parquet(file) as table:
        yield from table.schema_arrow


def _of_csv(file: CorpusFile) -> "Iterator[pa.Field]":
    """The columns: of the first type that the cells of the first rows can all be read as."""
    import pyarrow as pa

    with opened_csv(file) as table:
        names = next(table) or ()
        rows = [row for row in islice(table, LOOK_ROWS) if row]
    for place, name in enumerate(names):
        cells = pa.array([row[place] for row in rows if row[place] not in EMPTY], pa.string())
        # 007 is a text: as a number it would lose its zeros.
        is_text = not len(cells) or any(re.match(r"[+-]?0\d", cell) for cell in cells.to_pylist())
        for kind in (pa.int64(), pa.float64(), pa.bool_()) if not is_text else ():
            with suppress(pa.ArrowInvalid):
                cells = cells.cast(kind)
                break
        yield pa.field(name, cells.type)


def _of_json(file: CorpusFile) -> "Iterator[pa.Field]":
    """The columns of the first rows: of a type that all values have, or else text."""
    import pyarrow as pa

    rows = []
    with opened(file) as stream:
        for line in islice(stream.read(LOOK_BYTES).split(b"\n"), LOOK_ROWS):
            with suppress(ValueError, RecursionError):
                rows.append(json_value(line.decode("utf-8-sig", "replace")))
    rows = [row for row in rows if isinstance(row, dict)]
    names = dict.fromkeys(chain.from_iterable(rows))
    for name in names:
        try:
            yield pa.field(name, pa.array([row.get(name) for row in rows]).type)
        except (pa.ArrowException, OverflowError):  # of several types
            yield pa.field(name, pa.string())


def _arrow_kind(kind: "pa.DataType") -> Kind | None:
    import pyarrow.types as of

    if of.is_dictionary(kind):
        return _arrow_kind(kind.value_type)
    if of.is_boolean(kind):
        return "bool"
    if of.is_integer(kind):
        return "int64"
    if of.is_floating(kind) or of.is_decimal(kind):
        return "double"
    # A column without a value in the first rows may have text in others.
    texts = (of.is_string, of.is_large_string, of.is_string_view, of.is_temporal, of.is_null)
    return "string" if any(is_text(kind) for is_text in texts) else None
