"""Axes that name tokens, words and layers."""

from collections.abc import Sequence
from html import escape, unescape
from typing import Any
from unicodedata import bidirectional, east_asian_width

from bertviz_core.errors import shortened

Axis = dict[str, Any]

MAX_CELLS = 100_000
MAX_NAMED = 64  # tokens on one horizontal axis
MAX_UPRIGHT = 25  # of them, where each label is to be upright on a narrow screen


def label(text: str, longest: int = 24) -> str:
    """Any text, safe to print in a figure, where Plotly would read tags and entities."""
    shown = text if len(text) <= longest else shortened(text, longest)
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
    if not shown.isascii() and any(bidirectional(c) in ("R", "AL") for c in shown):
        shown = f"\N{FIRST STRONG ISOLATE}{shown}\N{POP DIRECTIONAL ISOLATE}"  # keeps its side
    return escape(shown)


def numbered(tokens: Sequence[str], first: int = 0, longest: int = 24) -> list[str]:
    """Labels that stay apart when a token comes twice: "4 python"."""
    return [f"{number} {label(token, longest)}" for number, token in enumerate(tokens, first)]


def width_of(names: Sequence[str]) -> int:
    """About how many pixels the longest label takes, where Plotly is not to measure it."""
    longest = max(
        (sum(2 if east_asian_width(c) in "WF" else 1 for c in unescape(name)) for name in names),
        default=0,
    )
    return min(7 * longest + 14, 190)


def suffix(number: int) -> str:
    """What follows "x" or "xaxis" in the name of an axis, for axes counted from 1."""
    return "" if number == 1 else str(number)


def titled(text: str, **more: Any) -> Axis:
    """An axis with a title."""
    return {"title": {"text": text}} | more


def layers(
    title: str = "layer (0 = input embedding)", *, numbers: Sequence[int] = (), **more: Any
) -> Axis:
    """An axis of layers; each has its number, or every fourth where `numbers` reach far."""
    far = max(numbers, default=0) - min(numbers, default=0) > 13
    return titled(title, dtick=4 if far else 1) | more


def named(names: Sequence[str], most: int = MAX_NAMED, **more: Any) -> Axis:
    """An axis over 0, 1, 2, ... that prints names, evenly at most `most` of them; no grid."""
    positions = list(range(0, len(names), -(-len(names) // most) or 1))
    return {
        "tickmode": "array",
        "tickvals": positions,
        "ticktext": [names[i] for i in positions],
        "showgrid": False,
    } | more


def named_rows(names: Sequence[str], most: int | None = None, **more: Any) -> Axis:
    """A vertical axis with one row a name, the first on top; see `named`."""
    span = {"range": [len(names) - 0.5, -0.5]}
    return named(names, most or max(len(names), 1)) | span | more
