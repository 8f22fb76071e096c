"""Which columns of a corpus are carried along with its occurrences, and their values."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from bertviz_core.corpus.job import Carried, CorpusFile, Kind
from bertviz_core.corpus.part_files import COLUMNS, LAYER
from bertviz_core.corpus.reading.files import file_format, opened, opened_parquet
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import MAX_SENTENCE
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

if TYPE_CHECKING:
    import pyarrow as pa

LOOK_ROWS, LOOK_BYTES = 1_000, 4_000_000  # of JSON lines that are looked at


def choose_columns(
    files: Sequence[CorpusFile], text: str, wanted: Sequence[str] | None = None
) -> tuple[Carried, ...]:
    """Choose the columns to carry along: `wanted`, or all that fit; the first file tells."""
    import pyarrow as pa

    kinds: dict[str, Kind | None] = {}
    first = {file_format(file.path): file for file in reversed(files)}
    for format, look in (("parquet", _of_parquet), ("json", _of_json)):
        if format in first:
            with suppress(OSError, pa.ArrowException):  # it cannot be read: its worker says why
                found = dict(look(first[format]))
                if text not in found:
                    raise UserInputError(
                        f"{first[format].path} has no column “{text}” with the text, only "
                        f"{', '.join(found) or 'none'}; name it with --text."
                    )
                kinds |= found
    # A file of occurrences has some names already.
    own = {text, "row", *COLUMNS}
    fit = {
        name: Carried(name, kind)
        for name, kind in kinds.items()
        if kind and name not in own and not name.startswith(LAYER)
    }
    for name in wanted or ():
        if name not in fit:
            raise UserInputError(
                f"“{name}” cannot be carried along; choose from {', '.join(fit) or 'none'}."
            )
    return tuple(fit[name] for name in (fit if wanted is None else dict.fromkeys(wanted)))


def fitting(value: Any, kind: Kind) -> Any:
    """The value converted to a kind; a ValueError or OverflowError if it does not fit."""
    if value is None or (kind == "bool" and isinstance(value, bool)):
        return value
    number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    if kind == "double" and number:
        return float(value)
    if kind == "int64" and number and value == int(value) and -(2**63) <= value < 2**63:
        return int(value)
    if kind == "string" and not isinstance(value, dict | list | bytes):
        written = without_lone_surrogates(str(value))
        if len(written) <= MAX_SENTENCE:
            return written
    raise ValueError("does not fit")


def _of_parquet(file: CorpusFile) -> Iterator[tuple[str, Kind | None]]:
    with opened_parquet(file) as (_, table):
        yield from ((field.name, _arrow_kind(field.type)) for field in table.schema_arrow)


def _of_json(file: CorpusFile) -> Iterator[tuple[str, Kind | None]]:
    """The columns of the first rows: of a kind that all values have."""
    import pyarrow as pa

    rows = []
    with opened(file) as stream:
        for line in islice(stream.read(LOOK_BYTES).split(b"\n"), LOOK_ROWS):
            with suppress(ValueError, RecursionError):
                rows.append(json.loads(line.decode("utf-8-sig", "replace")))
    rows = [row for row in rows if isinstance(row, dict)]
    for name in dict.fromkeys(chain.from_iterable(rows)):
        try:
            kind = pa.array([row.get(name) for row in rows]).type
            yield name, "string" if pa.types.is_null(kind) else _arrow_kind(kind)
        except (pa.ArrowException, OverflowError):  # of several kinds
            yield name, "string"


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
    texts = (of.is_string, of.is_large_string, of.is_string_view, of.is_temporal)
    return "string" if any(is_text(kind) for is_text in texts) else None
