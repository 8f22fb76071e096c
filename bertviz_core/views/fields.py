"""What a view asks for: the annotations of its parameters.

A label, an option or an end may depend on the page's inputs, by name, and on the fields before it.
Then it is a function of them: `lambda page: page["bert"].hidden_size - 1`.
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

When = Callable[[Mapping[str, Any]], bool] | None  # a function of the page's inputs; None: always


@dataclass(frozen=True, eq=False)
class Field:
    """What all fields have."""

    label: Any  # what the page says beside it
    _: KW_ONLY
    key: str = ""  # its name in the address; that of its parameter, unless given
    about: str = ""  # what it holds, for the list of links; its label unless given
    help: str | None = None  # shown behind a question mark
    when: When = None  # show this field only if it is true; else the default is taken

    @property
    def holds(self) -> str:
        return self.about or str(self.label).lower()

    def with_key(self, parameter: str) -> Self:
        """The field of a parameter, whose name is its key unless it has one."""
        return replace(self, key=self.key or parameter)

    def for_page(self, page: Mapping[str, Any]) -> Self:
        """The field with the values that its functions return."""
        parts = {part: value for part, value in vars(self).items() if part != "when"}
        return replace(self, **{part: f(page) for part, f in parts.items() if callable(f)})


@dataclass(frozen=True, eq=False)
class Slider(Field):
    """A whole number from `low` to `high`."""

    low: Any
    high: Any


@dataclass(frozen=True, eq=False)
class Choice(Field):
    """One of a few options, side by side: words, or values by the words that are shown (dict)."""

    options: Any


class Listed(Choice):
    """One of many words, in a list that opens."""


@dataclass(frozen=True, eq=False)
class Number(Field):
    """A whole number from 0 to `last` in a field that may be empty: None, shown as `empty`."""

    last: Any
    empty: Any


@dataclass(frozen=True, eq=False)
class Span(Field):
    """A range within 0 to `size` - 1, both ends included."""

    size: Any


@dataclass(frozen=True, eq=False)
class TextLine(Field):
    """One line of text; `first` is what it holds at first where that depends on the model."""

    placeholder: Any = ""
    first: Any = None
