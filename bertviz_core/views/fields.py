"""What a view asks for: the annotations of its parameters.

A label, an option or an end may depend on values of the page, and of the fields before it. Then it
is a function whose parameters have their names: `lambda bert: bert.hidden_size - 1`.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Self


@dataclass(frozen=True, eq=False)
class Field:
    """What all fields have."""

    label: Any  # what the page says beside it
    _: KW_ONLY
    key: str = ""  # its name in the address; that of its parameter, unless given
    about: str = ""  # what it holds, for the list of links; its label unless given
    help: str | None = None  # shown behind a question mark
    # Whether it is shown; its default is taken where it is not. None for always.
    when: Callable[..., bool] | None = None
    # Of each part that is a function, the names of its parameters.
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def holds(self) -> str:
        """What it holds, in words."""
        return self.about or str(self.label).lower()

    def named(self, name: str) -> Self:
        """The field of a parameter."""
        functions = {part: value for part, value in vars(self).items() if callable(value)}
        parameters = {part: names_of(function) for part, function in functions.items()}
        return replace(self, key=self.key or name, parameters=parameters)

    def resolved(self, values: Mapping[str, Any]) -> Self:
        """The field with what its functions return for these values."""
        made = {
            part: getattr(self, part)(*(values[name] for name in names))
            for part, names in self.parameters.items()
            if part != "when"
        }
        return replace(self, **made)


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
class Line(Field):
    """One line of text; `first` is what it holds at first where that depends on the model."""

    placeholder: Any = ""
    first: Any = None


def names_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters."""
    return tuple(inspect.signature(function).parameters)
