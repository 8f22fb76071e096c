"""Bases of what the core returns: it prints in a few lines, and becomes a pandas DataFrame."""

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.errors import extras_named, shortened

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 100  # characters a line
MAX_CHARACTERS = 60  # characters of one value
NUMBERS = (int, float, np.integer, np.floating)
MAX_ENTRIES = 4  # of a list


class Readable:
    """Base of what holds large arrays or files: it prints names, shapes and a few numbers.

    A dataclass built on it says `repr=False`, so that it keeps this `repr`.
    """

    def __repr__(self) -> str:
        return textwrap.fill(
            f"{type(self).__name__}({self._summary()})",
            WIDTH,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _summary(self) -> str:
        """The text in the brackets: all fields of a dataclass, unless a class says it better."""
        names = [field.name for field in fields(self) if field.repr]  # type: ignore[arg-type]
        return ", ".join(f"{name}={shortly(getattr(self, name))}" for name in names)


class Result(Readable, ABC):
    """Base of the frozen dataclasses of numbers that become a table."""

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """An array, list or tuple by its title, all of one length, as a page shows it."""

    def to_frame(self) -> "pd.DataFrame":
        """The columns as a pandas DataFrame; see `columns` for what a row is."""
        return data_frame(self.columns())


def data_frame(columns: Mapping[str, Any]) -> "pd.DataFrame":
    """A pandas DataFrame of columns; whole numbers stay whole where some are missing ("Int64")."""
    with extras_named():
        import pandas as pd  # takes 0.3 s, so not before the first table

    def series(values: Any) -> Any:
        if not isinstance(values, list | tuple) or None not in values:
            return values
        numbers = all(value is None or isinstance(value, NUMBERS) for value in values)
        return pd.array(list(values)) if numbers else list(values)

    return pd.DataFrame({title: series(values) for title, values in columns.items()})


def top(names: Sequence[str], scores: Sequence[float] | NDArray[Any], most: int = 3) -> str:
    """The first names with their numbers: "queen 0.712, prince 0.651, … 10 in all"."""
    first = [f"{name} {score:.3f}" for name, score in zip(names[:most], scores, strict=False)]
    return ", ".join([*first, f"… {len(names):,} in all"] if len(names) > most else first)


def cut(text: str, longest: int = MAX_CHARACTERS) -> str:
    """A text in quotes, with an ellipsis where it is too long."""
    return repr(shortened(text, longest))


def shortly(value: Any) -> str:
    """A value in a few words: arrays by type and shape, lists by their first entries."""
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}({'x'.join(map(str, value.shape))})"
    if isinstance(value, Mapping | list | tuple):
        begins = map(shortly, islice(value, MAX_ENTRIES))
        return f"({', '.join([*begins, '…'][: len(value)])})"
    return type(value).__name__ if isinstance(value, Readable) else str(value)
