"""Conditions on the columns of a corpus: "year<1950"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING

from bertviz_core.corpus.job import Kind
from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    import pyarrow.compute as pc

COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "!=": ne}
OPPOSITES = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
# The name of a column may have blanks inside, and the value any sign.
_CONDITION = re.compile(r"\s*([^<>=!]*[^<>=!\s])\s*(<=|>=|!=|<|>|==?)\s*(.*?)\s*", re.DOTALL)
_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Condition:
    """What the value of a column must be; an empty value meets no condition."""

    column: str  # "year"
    operator: str  # "<", "<=", ">", ">=", "=" or "!="
    value: str | int | float | bool  # of the column's kind; a number may have decimals for any

    @property
    def opposite(self) -> "Condition":
        """The condition that all other values meet, except empty ones: "year>=1950"."""
        return Condition(self.column, OPPOSITES[self.operator], self.value)

    def __str__(self) -> str:
        return f"{self.column}{self.operator}{self.value}"

    def expression(self) -> "pc.Expression":
        """As pyarrow filters by it."""
        import pyarrow.compute as pc

        return COMPARE[self.operator](pc.field(self.column), self.value)


def condition(text: str, kinds: Mapping[str, Kind]) -> Condition:
    """Read a condition on a column, such as "year<1950" or "author=Mary Smith"."""
    read = _CONDITION.fullmatch(text)
    if read is None:
        raise UserInputError(
            f"“{text}” is not a condition; write a column, one of < <= > >= = != and a value, such "
            "as year<1950."
        )
    column, sign, value = read.groups()
    if column not in kinds:
        raise UserInputError(f"There is no column “{column}”; choose {', '.join(kinds)}.")
    try:
        return Condition(column, sign.replace("==", "="), _value(value, kinds[column]))
    except (ValueError, KeyError) as error:
        expected = {"string": "text", "bool": "true or false"}.get(kinds[column], "a number")
        raise UserInputError(f"The column “{column}” holds {expected}, not {value!r}.") from error


def _value(text: str, kind: Kind) -> str | int | float | bool:
    if kind == "bool":
        return _YES_NO[text.lower()]
    if kind == "string":
        text.encode()  # a terminal may pass bytes that are no text
        return text
    if re.fullmatch(r"[+-]?\d{1,18}", text):  # what int64 holds
        return int(text)
    if (number := float(text)) != number:  # NaN
        raise ValueError(text)
    return number
