"""Conditions on the columns of a corpus: "year<1950"."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Any

from bertviz_core.corpus.job import Kind
from bertviz_core.corpus.schema import SOURCE
from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    import pyarrow.compute as pc

Value = str | int | float | bool
# Each with its opposite.
OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "<": (lt, ">="), "<=": (le, ">"), ">": (gt, "<="), ">=": (ge, "<"), "=": (eq, "!="),
    "!=": (ne, "="),
}  # fmt: skip
# The name of a column may have blanks inside, and the value any sign.
_CONDITION = re.compile(r"\s*([^<>=!]*[^<>=!\s])\s*(<=|>=|!=|<|>|==?)\s*(.*?)\s*", re.DOTALL)
_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Condition:
    """What the value of a column must be; an empty value meets no condition."""

    column: str  # "year"
    operator: str  # "<", "<=", ">", ">=", "=" or "!="
    value: Value  # of the column's kind

    @property
    def opposite(self) -> "Condition":
        """What all other values meet, but for empty ones: "year>=1950" of "year<1950"."""
        return Condition(self.column, OPERATORS[self.operator][1], self.value)

    def __str__(self) -> str:
        return f"{self.column}{self.operator}{self.value}"

    def expression(self) -> "pc.Expression":
        """As pyarrow filters by it; a `source` "/some/folder/a.txt" is equal to "a.txt" as well."""
        import pyarrow.compute as pc

        column = pc.field(self.column)
        if self.column == SOURCE and self.operator in ("=", "!="):
            equal = (column == self.value) | pc.ends_with(column, f"/{self.value}")
            return equal if self.operator == "=" else ~equal
        return OPERATORS[self.operator][0](column, self.value)


def condition(text: str, kinds: Mapping[str, Kind]) -> Condition:
    """Read a condition, such as "year<1950" or "author=Mary Smith", on one of some columns."""
    read = _CONDITION.fullmatch(text)
    if read is None:
        raise UserInputError(
            f"“{text}” is no condition; write a column, one of < <= > >= = != and a value, such "
            "as year<1950."
        )
    column, sign, value = read.groups()
    if column not in kinds:
        raise UserInputError(f"There is no column “{column}”; choose {', '.join(kinds)}.")
    operator = "=" if sign == "==" else sign
    try:
        return Condition(column, operator, _value(value, kinds[column]))
    except (ValueError, KeyError) as error:
        expected = {"string": "text", "bool": "true or false"}.get(kinds[column], "a number")
        raise UserInputError(f"The column “{column}” holds {expected}, not {value!r}.") from error


def _value(text: str, kind: Kind) -> Value:
    if kind == "string":
        text.encode()  # a terminal may pass bytes that are no text
        return text
    if kind == "bool":
        return _YES_NO[text.lower()]
    # A year may be compared with 1949.5, too; and with what int64 does not hold.
    if kind == "int64" and re.fullmatch(r"[+-]?\d{1,18}", text):
        return int(text)
    number = float(text)
    if math.isnan(number):
        raise ValueError(text)
    return number
