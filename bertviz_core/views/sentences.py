"""Sentences with values in them; whatever a user typed is escaped here and nowhere else."""

import math
from collections.abc import Callable, Iterable, Mapping
from html import escape
from numbers import Real
from string import Formatter


def plain(text: str) -> str:
    """Escape text of any origin for HTML, kept apart from the direction of what surrounds it."""
    if not text.isprintable():  # halves of surrogate pairs are not, either
        text = "".join(
            c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
        )
    return f"<bdi>{escape(text)}</bdi>"


def named(text: str, name: str) -> str:
    """The same, under the name of the value: tests and the tour find it by that."""
    return plain(text).replace("<bdi", f'<bdi data-name="{name}"')


def filled(
    template: str, values: Mapping[str, object], write: Callable[[str, str], str] = named
) -> str:
    """Put values by name into HTML of ours; `write` makes the text of each harmless."""
    parts = []
    for ours, name, form, _ in Formatter().parse(template):
        parts.append(ours)
        if name is not None:
            text = format(values[name], form or "")
            if isinstance(value := values[name], Real) and value < 0:
                text = text.replace("-", "−", 1)  # a minus sign, not a hyphen
            parts.append(write(text, name))
    return "".join(parts)


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
