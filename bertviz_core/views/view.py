"""A view, what makes its parts, and phrases and numbers for its sentences."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from bertviz_core.bert import Bert
from bertviz_core.result import data_frame
from bertviz_core.saved_files import NO_CHOICE, Columns, Made, values_of
from bertviz_core.showable import filled
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views.parts import (
    Arrays,
    Beside,
    Kind,
    Part,
    Picture,
    Program,
    Sentence,
    Table,
)

if TYPE_CHECKING:
    import pandas as pd


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
        return {part.name: part for part in self.all_parts if isinstance(part, Picture)}

    @property
    def tables(self) -> dict[str, Columns]:
        """The columns of all tables, by name."""
        return {one.name: one.columns() for one in self.all_parts if isinstance(one, Table)}

    @property
    def programs(self) -> dict[str, Program]:
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


def _sentence(kind: Kind, template: str, /, *, method: str = "", **values: object) -> Sentence:
    """A sentence with values in it.

    `template` is HTML of ours, with `{names}` for the values, which are escaped; `{name:.2f}`
    formats one. `method` is the heading of docs/methods.md that explains them, as in its address.
    """
    return Sentence(kind, template, values, method)


say = partial(_sentence, "finding")  # what the numbers mean, above their picture
note = partial(_sentence, "note")  # what to know before reading on: what was cut, what is not shown
caption = partial(_sentence, "caption")  # in a small line what else is known of a picture
# At the size of a text; files to take home leave it out.
verdict = partial(_sentence, "verdict")


def alert(problem: str) -> Sentence:
    """Say what is wrong with what a visitor typed."""
    return Sentence("alert", "{problem}", {"problem": problem})


picture = Picture  # called as the other parts are


def table(columns: Columns | Callable[[], Columns], **how: Any) -> Table:
    """A table of columns, or of what makes them where they are many; see `Table`."""
    return Table(columns if callable(columns) else lambda: columns, **how)


def program(
    template: str,
    bert: Bert,
    typed: InputText | None = None,
    /,
    *,
    name: str,
    arrays: Arrays | None = None,
    about: str = "",
    **values: Any,
) -> Program:
    """The program that prints the same numbers; see `Program`.

    Values are given by their names in the template; those of `typed` are `text` and `text_pair`.
    """
    values |= {} if typed is None else {"text": typed.text, "text_pair": typed.text_pair}
    return Program(template, bert, values, name, arrays, about)


def beside(
    *columns: Iterable[Part] | Part, widths: Sequence[int] = (), presented: int = 0
) -> Beside:
    """Parts side by side; see `Beside`."""
    return Beside(tuple(tuple(flat([column])) for column in columns), tuple(widths), presented)


def truncated(text: TokenizedText, name: str = "The text") -> list[Sentence]:
    """Say how many tokens of a text did not fit; nothing if all did. `name` begins the sentence."""
    if not text.truncated:
        return []
    return [
        note(
            "{name} has {all_words} words and marks, which are {all} tokens; the model has "
            "positions for {room}. The last <b>{cut}</b> were left out.",
            name=name,
            all_words=f"{text.word_count + text.truncated_words:,}",
            all=f"{len(text) + text.truncated:,}",
            room=f"{len(text):,}",
            cut=f"{text.truncated:,}",
        )
    ]


def joined(parts: Iterable[str]) -> str:
    """Join phrases to "a, b and c"; "" if there are none."""
    *most, last = list(parts) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def rounded(value: float, decimals: int = 2, sign: str = "") -> str:
    """A cosine or a correlation: "0.51", "−0.30", with `sign` "+" "+0.51"; "none" for NaN."""
    return "none" if math.isnan(value) else f"{value:{sign}.{decimals}f}".replace("-", "−")


def share(value: float) -> str:
    """A share of 1: "51%", below a tenth "5.1%", and "below 0.1%"."""
    if value < 0.001:
        return "below 0.1%"
    return f"{value:.1%}" if value < 0.1 else f"{value:.0%}"
