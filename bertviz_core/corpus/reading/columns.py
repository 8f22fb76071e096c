"""Which columns of a corpus are carried along with its occurrences, and their values."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any

from bertviz_core.corpus.job import Carried, CorpusFile, Kind
from bertviz_core.corpus.reading.files import file_format, opened, opened_parquet
from bertviz_core.corpus.schema import COLUMNS, LAYER, SENSE
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import HEADER, LONGEST_SENTENCE
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

if TYPE_CHECKING:
    import pyarrow as pa

MOST = 20  # columns that are carried along unasked
_ROWS, _BYTES = 1_000, 4_000_000  # of JSON lines that are looked at
_HEADER_WITHIN = 65_536  # bytes


@dataclass(frozen=True)
class Columns:
    """The columns that are carried along."""

    carried: tuple[Carried, ...]  # in the order of the corpus
    left_out: tuple[str, ...]  # others, which were not asked for


def choose_columns(
    files: Sequence[CorpusFile], text: str, wanted: Sequence[str] | None = None
) -> Columns:
    """Look at the corpus for the columns that are carried along.

    They are those of the first Parquet file, and of the first 1,000 lines of the first file of
    JSON lines; in all of text files, only whether they are labelled.
    """
    kinds: dict[str, Kind | None] = {}
    first = {file_format(file.path): file for file in reversed(files)}
    for format, look in (("parquet", _of_parquet), ("json", _of_json)):
        if format in first:
            found = look(first[format])
            if found is None:  # it cannot be read: its worker says why
                continue
            if text not in found:
                raise UserInputError(
                    f"{first[format].path} has no column “{text}” with the text, only "
                    f"{', '.join(found) or 'none'}; name it with --text."
                )
            kinds |= {name: kind for name, kind in found.items() if name != text}
    if any(file_format(file.path) == "text" and is_labelled(file) for file in files):
        kinds[SENSE] = "string"
    if wanted is None:
        fit = [Carried(name, kind) for name, kind in kinds.items() if kind and not _taken(name)]
        carried = tuple(fit[:MOST])
        names = {column.name for column in carried}
        return Columns(carried, tuple(name for name in kinds if name not in names))
    return Columns(tuple(_wanted(name, kinds) for name in dict.fromkeys(wanted)), ())


def is_labelled(file: CorpusFile) -> bool:
    """Whether a text file begins with the line `sense\\tsentence`: then its lines have labels."""
    try:
        with opened(file) as stream:
            beginning = stream.read(_HEADER_WITHIN)
    except OSError:  # its worker says why
        return False
    line = beginning.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n")[0]
    return line.strip().lower() == HEADER.encode()


def fitting(value: Any, kind: Kind) -> Any:
    """A value as one of a kind; raises ValueError or OverflowError where it is of another."""
    if value is None:
        return None
    number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind == "double" and number:
        return float(value)
    if kind == "int64" and number and value == int(value) and -(2**63) <= value < 2**63:
        return int(value)
    if kind == "string" and not isinstance(value, dict | list | bytes):
        written = without_lone_surrogates(str(value))
        if len(written) <= LONGEST_SENTENCE:
            return written
    raise ValueError("does not fit")


def _taken(name: str) -> bool:
    """Whether a file of occurrences has a column of this name already."""
    return name in (*COLUMNS, "row") or name.startswith(LAYER)


def _wanted(name: str, kinds: Mapping[str, Kind | None]) -> Carried:
    if _taken(name):
        raise UserInputError(
            f"“{name}” cannot be carried along: the result has a column of its own of this name."
        )
    if name not in kinds:
        raise UserInputError(
            f"The corpus has no column “{name}”; choose from {', '.join(kinds) or 'none'}."
        )
    kind = kinds[name]
    if kind is None:
        raise UserInputError(
            f"“{name}” cannot be carried along; expected text, numbers or true and false."
        )
    return Carried(name, kind)


def _of_parquet(file: CorpusFile) -> dict[str, Kind | None] | None:
    import pyarrow as pa

    try:
        with opened_parquet(file) as table:
            return {field.name: _arrow_kind(field.type) for field in table.schema_arrow}
    except (OSError, pa.ArrowException):
        return None


def _arrow_kind(kind: "pa.DataType") -> Kind | None:
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        return _arrow_kind(kind.value_type)
    if kinds.is_boolean(kind):
        return "bool"
    if kinds.is_integer(kind):
        return "int64"
    if kinds.is_floating(kind) or kinds.is_decimal(kind):
        return "double"
    texts = (kinds.is_string, kinds.is_large_string, kinds.is_string_view, kinds.is_temporal)
    return "string" if any(test(kind) for test in texts) else None


def _of_json(file: CorpusFile) -> dict[str, Kind | None] | None:
    """The columns of the first rows: of a kind that all values have."""
    values: dict[str, list[Any]] = {}
    try:
        with opened(file) as stream:
            for line in islice(stream.read(_BYTES).split(b"\n"), _ROWS):
                try:
                    row = json.loads(line.decode("utf-8-sig", "replace"))
                except (ValueError, RecursionError):
                    continue
                for name, value in row.items() if isinstance(row, dict) else ():
                    values.setdefault(name, []).append(value)
    except OSError:
        return None
    return {name: _json_kind(found) for name, found in values.items()}


def _json_kind(values: Sequence[Any]) -> Kind | None:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds & {dict, list}:
        return None
    if kinds == {bool}:
        return "bool"
    if kinds == {int}:
        return "int64"
    return "double" if kinds and kinds <= {int, float} else "string"
