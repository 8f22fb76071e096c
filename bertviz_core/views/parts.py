"""The parts of a view: plain data; `views.view` makes them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import Vocabulary
from bertviz_core.figures.drawing import Figure
from bertviz_core.saved_files import Columns
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views import programs

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

    columns: Callable[[], Columns]  # makes them: an array, a list or a `Column` by its title
    name: str  # names the file
    decimals: int = 3  # how many are shown of numbers that are not whole
    fold: str = ""  # label of its fold; "" shows the table at once
    presented: bool = False  # whether it is shown in presenter mode


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
    traces: Sequence[dict[str, Any]] = ()
    shapes: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True, eq=False)
class Chips:
    """The tokens of a text; a tap chooses one."""

    text: TokenizedText
    selected: tuple[int, ...] = ()  # positions of those that are framed
    # Key of the field that a tap sets: "token" to the position, another one to the token's word as
    # it was typed, which is also the word that other pages open with. "": only to look at.
    sets: str = ""
    by_word: Vocabulary | None = None  # that of the tokens, where they are coloured by word
    typed: InputText | None = None  # what the tokens were cut from, where a tap sets a field


@dataclass(frozen=True)
class Beside:
    """Columns of parts, side by side on a wide screen."""

    columns: tuple[tuple["Part", ...], ...]
    widths: tuple[int, ...] = ()  # in proportion; equal if there are none
    presented: int = 0  # how many of the columns an audience sees; 0 for all


Part = Sentence | Picture | Table | Links | Chips | Overlay | Program | Beside
