"""Files of tables, arrays and vectors: CSV, NPZ, Parquet."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.result import data_frame

Made = Mapping[str, str | int]  # how a result was made: {"layer": 5, "pooling": "mean"}
NO_CHOICE: Made = {}


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table that is shown with its own number of decimals."""

    values: Sequence[float | None] | NDArray[Any]  # None leaves the cell empty
    decimals: int | None  # None for as many as the number has


Columns = Mapping[str, Any]  # values of each column by its title


def values_of(column: Any) -> Any:
    """The values of a column of a table."""
    return column.values if isinstance(column, Column) else column


# What a spreadsheet runs as a formula: one of these signs at the start of a text, or after a
# semicolon, tab or end of a line, where some split a cell even inside quotes. A text that has
# apostrophes before the sign gets one more, so that a reader can take exactly ours off again.
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"  # also full width
_FORMULA = re.compile(rf"\A(?='*[{_SIGNS}\t\r\n])|(?<=[;\t\r\n])(?=['\" ]*[{_SIGNS}])")


def as_csv(columns: Columns, made: Made = NO_CHOICE) -> bytes:
    """Write a table as CSV in UTF-8 with its mark; `made`, of all rows, are columns behind."""
    # With "\r\n" as line end pandas quotes texts with "\r" or "\n"; else the rest of such a text
    # would be a row of its own, and perhaps a formula.
    rows = len(values_of(next(iter(columns.values()))))
    every = {**columns, **{key: [made[key]] * rows for key in made if key not in columns}}
    safe = {as_text(title): _safe(values) for title, values in every.items()}
    return data_frame(safe).to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def _safe(values: Any) -> Any:
    """The values of a column, texts that a spreadsheet would run with an apostrophe in front."""
    if isinstance(values, Column):
        return values.values
    numeric = isinstance(values, range) or getattr(values, "dtype", np.dtype("O")).kind in "biuf"
    return values if numeric else [as_text(value) for value in values]


def as_text(value: Any) -> Any:
    """A value of a cell; no part of a text that a spreadsheet splits off is a formula."""
    return _FORMULA.sub("'", value) if isinstance(value, str) else value


MAX_ARRAY_NAME = 60  # characters
ABOUT = "about"
MODEL = "model"


def as_npz(arrays: Mapping[str, Any], model: str, about: Mapping[str, Any]) -> bytes:
    """Write arrays as NPZ, which needs no pickles to be opened.

    With them are a text, `model`, and JSON, `about`, which also describes each array.
    """
    written: dict[str, NDArray[Any]] = {}
    described: dict[str, Any] = {}
    for title, values in arrays.items():
        array = _array(values)
        name = _array_name(title, written)
        written[name] = array
        described[name] = {
            "title": title,
            "shape": list(array.shape),
            "dtype": str(array.dtype),
        }
    written_about = json.dumps({**about, "arrays": described}, default=str)
    file = io.BytesIO()
    np.savez_compressed(
        file,
        allow_pickle=False,
        **{MODEL: np.array(model), ABOUT: np.array(written_about)},
        **written,
    )
    return file.getvalue()


def _array(values: Any) -> NDArray[Any]:
    """The values of a column as an array, with NaN or "" for None."""
    values = values_of(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufU":
        return values
    listed = list(values)
    if any(isinstance(value, str) for value in listed):
        return np.array(["" if value is None else str(value) for value in listed])
    if None in listed:
        return np.array([np.nan if value is None else value for value in listed], np.float64)
    return np.array(listed)


def _array_name(title: str, taken: Mapping[str, Any]) -> str:
    """A name for an array: what a title says in letters and digits, unlike those there are."""
    plain = re.sub(r"\W+", "_", title).strip("_")[:MAX_ARRAY_NAME] or "array"
    name = plain
    number = 1
    while name in taken or name in (ABOUT, MODEL, "file", "allow_pickle"):
        number += 1
        name = f"{plain}_{number}"
    return name


def as_parquet(vectors: Array, columns: Columns) -> bytes:
    """Write n values by title, and vectors, float32 (n, numbers), as lists in a column `vector`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    lists = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1])
    written = {title: _array(values) for title, values in columns.items()}
    file = io.BytesIO()
    pq.write_table(pa.table({**written, "vector": lists}), file)
    return file.getvalue()
