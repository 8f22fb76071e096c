"""Which columns of a corpus are carried along with its occurrences, and their values."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from bertviz_core.corpus.job import Carried, CorpusFile, Kind
from bertviz_core.corpus.part_files import COLUMNS, LAYER
from bertviz_core.corpus.reading.csv_rows import LOOK_BYTES, MAX_COLUMNS, names_alone
from bertviz_core.corpus.reading.files import (
    Format,
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
Kinds = dict[str, Kind | None]  # of the columns of a file, by name
Look = Callable[[CorpusFile], Kinds]
EMPTY = ("", "NA", "NaN")  # cells of CSV: as Python, R and pandas write nothing


def choose_columns(
    files: Sequence[CorpusFile], text: str, wanted: Sequence[str] | None = None
) -> tuple[Carried, ...]:
    """Choose the columns to carry along: `wanted`, or all that fit; the first file tells."""
    import pyarrow as pa

    kinds: Kinds = {}
    looks: dict[Format, Look] = {"parquet": _of_parquet, "csv": _of_csv, "json": _of_json}
    first = {file_format(file.path): file for file in reversed(files)}
    for format, look in looks.items():
        if format not in first:
            continue
        # One that cannot be read: its worker says why.
        with suppress(OSError, ValueError, pa.ArrowException):
            of_file = look(first[format])
            texts = [name for name, kind in of_file.items() if name and kind == "string"]
            if text not in texts:
                raise UserInputError(
                    f"{first[format].path} has no column “{text}” with text, or several; name one "
                    f"of these with --text: {', '.join(texts) or 'there is none'}."
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


def _of_parquet(file: CorpusFile) -> Kinds:
    with opened_parquet(file) as table:
        schema = table.schema_arrow
        return dict(zip(names_alone(schema.names), map(_arrow_kind, schema.types), strict=True))


def _of_csv(file: CorpusFile) -> Kinds:
    with opened_csv(file) as table:
        names = next(table) or ()
        rows = [row for row in islice(table, LOOK_ROWS) if row]
    return {name: _cells_kind([row[place] for row in rows]) for place, name in enumerate(names)}


def _of_json(file: CorpusFile) -> Kinds:
    rows = []
    with opened(file) as stream:
        for line in islice(stream.read(LOOK_BYTES).split(b"\n"), LOOK_ROWS):
            with suppress(ValueError, RecursionError):
                rows.append(json_value(line.decode("utf-8-sig", "replace")))
    rows = [row for row in rows if isinstance(row, dict)]
    names = dict.fromkeys(chain.from_iterable(rows))
    if len(names) > MAX_COLUMNS:
        raise UserInputError(f"{file.path} has more than {MAX_COLUMNS:,} columns.")
    return {name: _values_kind([row.get(name) for row in rows]) for name in names}


def _cells_kind(cells: Sequence[str]) -> Kind:
    """The first kind that all cells can be read as; 007 is a text, which keeps its zeros."""
    import pyarrow as pa

    given = [cell for cell in cells if cell not in EMPTY]
    numbers: tuple[Kind, ...] = ("int64", "double", "bool")
    if given and not any(re.match(r"[+-]?0\d", cell) for cell in given):
        for kind in numbers:
            with suppress(pa.ArrowInvalid):
                pa.array(given).cast(kind)
                return kind
    return "string"


def _values_kind(values: Sequence[Any]) -> Kind | None:
    """The kind that all values have, or else text."""
    import pyarrow as pa

    try:
        return _arrow_kind(pa.array(values).type)
    except (pa.ArrowException, OverflowError):  # of several types
        return "string"


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
