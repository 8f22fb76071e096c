"""Tables as CSV, safe to open in a spreadsheet."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.result import frame

Made = Mapping[str, str | int]  # how a result was made: {"layer": 5, "pooling": "mean"}
NO_CHOICE: Made = {}


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table that is shown with its own number of decimals."""

    values: Sequence[float | None] | NDArray[Any]  # None leaves the cell empty
    decimals: int | None  # None for as many as the number has


Columns = Mapping[str, Any]  # values of each column by its title
# A spreadsheet would run what follows as a formula: at the start of a text, or behind a semicolon,
# tab or end of a line, where it may split a cell whatever the quotes. With apostrophes of its own
# before it, it gets one more, so that whoever reads the file can take exactly ours off again.
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"  # also full width
_FORMULA = re.compile(rf"\A(?='*[{_SIGNS}\t\r\n])|(?<=[;\t\r\n])(?=['\" ]*[{_SIGNS}])")


def _with(columns: Columns, made: Made) -> Columns:
    """The columns, and behind them what they lack of `made`, the same in each row."""
    first = next(iter(columns.values()))
    rows = len(first.values if isinstance(first, Column) else first)
    return {**columns, **{key: [made[key]] * rows for key in made if key not in columns}}


def as_csv(columns: Columns, made: Made = NO_CHOICE) -> bytes:
    """Write a table as CSV in UTF-8 with its mark; `made`, of all rows, are columns behind."""
    # With this end of a line a text with either half of it gets quotes; otherwise what comes
    # after a carriage return would be a row of its own, and perhaps a formula.
    safe = {as_text(title): _safe(values) for title, values in _with(columns, made).items()}
    return frame(safe).to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def _safe(values: Any) -> Any:
    """The values of a column, texts that a spreadsheet would run with an apostrophe in front."""
    if isinstance(values, Column):
        return values.values
    numeric = isinstance(values, range) or getattr(values, "dtype", np.dtype("O")).kind in "biuf"
    return values if numeric else [as_text(value) for value in values]


def as_text(value: Any) -> Any:
    """A value of a cell; no part of a text that a spreadsheet splits off is a formula."""
    return _FORMULA.sub("'", value) if isinstance(value, str) else value
