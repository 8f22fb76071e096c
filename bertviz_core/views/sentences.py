"""Sentences with values in them; whatever a user typed is escaped here and nowhere else."""

import math
from collections.abc import Callable, Iterable, Mapping
from html import escape

from bertviz_core.tokens.tokenized_text import without_lone_surrogates


def plain(text: str) -> str:
    """Escape text of any origin for HTML, kept apart from the direction of what surrounds it."""
    clean = "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for c in without_lone_surrogates(text)
    )
    return f"<bdi>{escape(clean)}</bdi>"


def named(text: str, name: str) -> str:
    """The same, under the name of the value: tests and the tour find it by that."""
    return plain(text).replace("<bdi", f'<bdi data-name="{name}"')


def filled(
    template: str, values: Mapping[str, object], write: Callable[[str, str], str] = named
) -> str:
    """Put values by name into HTML of ours; `write` makes the text of each harmless."""
    return template.format(**{name: _Value(name, value, write) for name, value in values.items()})


def joined(parts: Iterable[str]) -> str:
    """Join phrases to "a, b and c"; "" if there are none."""
    *most, last = list(parts) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def rounded(value: float, decimals: int = 2) -> str:
    """A cosine or a correlation: "0.51", "−0.30"; "none" for NaN."""
    return "none" if math.isnan(value) else f"{value:.{decimals}f}".replace("-", "−")


def share(value: float) -> str:
    """A share of 1: "51%", below a tenth "5.1%", and "below 0.1%"."""
    if value < 0.001:
        return "below 0.1%"
    return f"{value:.1%}" if value < 0.1 else f"{value:.0%}"


class _Value:
    """A value in a sentence: formatted, then written by `write`."""

    def __init__(self, name: str, value: object, write: Callable[[str, str], str]) -> None:
        self._name, self._value, self._write = name, value, write

    def __format__(self, form: str) -> str:
        text = format(self._value, form) if form else str(self._value)
        return self._write(text, self._name)
