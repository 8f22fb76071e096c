"""What a view returns: plain data, in the order in which it is read."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from bertviz_core.bert import Bert
from bertviz_core.figures.drawing import Figure
from bertviz_core.result import data_frame
from bertviz_core.saved_files import NO_CHOICE, Columns, Made, values_of
from bertviz_core.showable import filled
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views import programs

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["finding", "note", "caption", "alert", "verdict"]
Arrays = Callable[[], Mapping[str, Any]]


@dataclass(frozen=True)
class Sentence:
    """A sentence with values in it; see `say`, `note`, `caption` and `verdict`."""

    kind: Kind
    template: str
    values: Mapping[str, object]
    method: str = ""


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure and what it shows."""

    figure: Figure  # from `figures`
    alt: str  # a description for those who cannot see it
    name: str  # of its container on the page, and of its file
    # Key of a field that a selected point sets to its number, counted from 1. A point has its
    # number, counted from 0, as the first of its custom data.
    follows: str | None = None
    # Whether the sentence of the page changes it. If not, its file is not named after the sentence,
    # and it is not sent again.
    typed: bool = True


@dataclass(frozen=True, eq=False)
class Table:
    """The numbers behind a picture."""

    # An array, a list or a `Column` by its title; or what makes them, where they are many.
    given: Columns | Callable[[], Columns]
    name: str  # names the file
    decimals: int = 3  # how many are shown of numbers that are not whole
    fold: str = ""  # label of its fold; "" shows the table at once
    presented: bool = False  # whether it is shown in presenter mode

    def columns(self) -> Columns:
        """Its columns by their titles."""
        return self.given() if callable(self.given) else self.given


@dataclass(frozen=True)
class Links:
    """Links to the same page with other values of its fields, or to another page."""

    title: str
    # Values by the key of their field, by the label of the link.
    changes: Mapping[str, Mapping[str, str | int]]
    # The other page, by its name in the address. Presenting, such links are not shown.
    page: str = ""


@dataclass(frozen=True, eq=False)
class Program:
    """The code for the parts above it."""

    template: str  # see `programs.program_text`
    bert: Bert  # the checkpoint in use
    values: Mapping[str, Any]  # by their names in the template
    name: str  # names its fold in the address: "code-NAME"
    # Makes the arrays behind the view, by name; the columns of its tables unless given.
    arrays: Arrays | None = None
    about: str = ""  # what it is the code of, where a view has several programs

    @property
    def text(self) -> str:
        """The whole program; it needs nothing of this project."""
        return programs.program_text(self.template, self.bert, self.values)


@dataclass(frozen=True, eq=False)
class Overlay:
    """Traces and lines added to a picture, which keeps its zoom and its selection."""

    picture: str
    changes: dict[str, Any]  # further traces ("data"), and parts of the layout in whole ("layout")


@dataclass(frozen=True, eq=False)
class Chips:
    """The tokens of a text; a tap chooses one."""

    text: TokenizedText
    selected: tuple[int, ...] = ()  # positions of those that are framed
    # Key of the field that a tap sets: "token" to the position, another one to the token's word as
    # it was typed, which is also the word that other pages open with. "": only to look at.
    sets: str = ""
    by_word: bool = False  # whether they are coloured by word, not by segment
    typed: InputText | None = None  # what the tokens were cut from, where a tap sets a field


@dataclass(frozen=True)
class Beside:
    """Columns of parts, side by side on a wide screen."""

    columns: tuple[tuple["Part", ...], ...]
    widths: tuple[int, ...] = ()  # in proportion; equal if there are none
    presented: int = 0  # how many of the columns an audience sees; 0 for all


Part = Sentence | Picture | Table | Links | Chips | Overlay | Program | Beside


class View:
    """All that is shown of one question; `made`, {"layer": 5}, goes into the names of files."""

    def __init__(self, *parts: Part | Iterable[Part], made: Made = NO_CHOICE) -> None:
        self.parts: tuple[Part, ...] = tuple(flat(parts))
        self.made = made

    @cached_property
    def all_parts(self) -> tuple[Part, ...]:
        """All parts, those in columns too."""
        return tuple(_leaves(self.parts))

    @property
    def findings(self) -> list[str]:
        """The sentences that say what the numbers mean, as HTML."""
        findings = (one for one in self._sentences if one.kind == "finding")
        return [filled(one.template, one.values) for one in findings]

    @property
    def values(self) -> dict[str, object]:
        """The values of all sentences, by name; of equal names the first."""
        sentences = reversed(self._sentences)
        return {name: value for one in sentences for name, value in one.values.items()}

    @property
    def _sentences(self) -> list[Sentence]:
        return [part for part in self.all_parts if isinstance(part, Sentence)]

    @property
    def pictures(self) -> dict[str, Picture]:
        """The pictures, by name."""
        return {part.name: part for part in self.all_parts if isinstance(part, Picture)}

    @property
    def tables(self) -> dict[str, Columns]:
        """The columns of all tables, by name."""
        return {one.name: one.columns() for one in self.all_parts if isinstance(one, Table)}

    @property
    def programs(self) -> dict[str, Program]:
        """The programs, by name."""
        return {part.name: part for part in self.all_parts if isinstance(part, Program)}

    def to_frame(self, name: str = "") -> "pd.DataFrame":
        """A table as a pandas DataFrame: the first one, or the one of a name of `tables`."""
        columns = self.tables[name or next(iter(self.tables))]
        return data_frame({title: values_of(column) for title, column in columns.items()})


def flat(parts: Iterable[Any]) -> Iterator[Part]:
    """All parts, those in lists too."""
    for part in parts:
        if isinstance(part, Part):
            yield part
        else:
            yield from flat(part)


def _leaves(parts: Iterable[Part]) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, Beside):
            yield from _leaves(flat(part.columns))
        else:
            yield part
