"""Which columns of a corpus are carried along with its occurrences, and their values."""

import json
import re
import shlex
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
from bertviz_core.errors import UserInputError, shortened
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
                    f"{first[format].path} has no column “{text}” with text, or several; "
                    f"{_ways_to_text(of_file, texts)}."
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


def _ways_to_text(kinds: Kinds, texts: Sequence[str]) -> str:
    """What a file has in place of a column of text, and what to do."""
    names = (name if name == name.strip() else f"“{name}”" for name in texts)
    ways = [f"name one of these with --text: {', '.join(names)}"] if texts else []
    if nested := [name for name, kind in kinds.items() if kind is None]:
        rows = shlex.quote(f".{json.dumps(nested[0] if len(nested) == 1 else 'NAME')}[]")
        ways.append(
            f"“{shortened('”, “'.join(nested))}” holds a list or an object: write tokens as one "
            f"text, and a list of rows one a line, as jq -c {rows} does"
        )
    if not kinds:
        ways.append(
            "no line begins with one object that ends on it: write one a line, as jq -c . does, or "
            "jq -c '.data[]' of rows in “data”"
        )
    return "; ".join(ways) or "no other column has text"


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
        written = stream.read(LOOK_BYTES).decode("utf-8-sig", "replace").lstrip()
    with suppress(ValueError, RecursionError):
        value, end = json.JSONDecoder().raw_decode(written)
        if "\n" in written[:end]:  # of one value over several lines a line may be an object
            given = value.items() if isinstance(value, dict) else ()
            return {name: None for name, one in given if isinstance(one, list)}
    for line in islice(written.split("\n"), LOOK_ROWS):
        with suppress(ValueError, RecursionError):
            rows.append(json_value(line))
    rows = [row for row in rows if isinstance(row, dict)]
    names = dict.fromkeys(chain.from_iterable(rows))
    if len(names) > MAX_COLUMNS:
        raise UserInputError(f"{file.path} has more than {MAX_COLUMNS:,} columns.")
    return {name: _values_kind([row.get(name) for row in rows]) for name in names}


def _cells_kind(cells: Sequence[str]) -> Kind:
    """The first kind that all cells can be read as; 007, +49, 0x10, 20 digits stay text."""
    import pyarrow as pa

    given = [cell for cell in cells if cell not in EMPTY]
    numbers: tuple[Kind, ...] = ("int64", "double", "bool")
    if given and not any(re.match(r"\+|-?(0[\dxX]|\d{19})", cell) for cell in given):
        for kind in numbers:
            with suppress(pa.ArrowInvalid):
                pa.array(given).cast(kind)
                return kind
    return "string"


def _values_kind(values: Sequence[Any]) -> Kind | None:
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
