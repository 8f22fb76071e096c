"""Axes with names of tokens, words and layers."""

from collections.abc import Sequence
from html import escape, unescape
from typing import Any
from unicodedata import east_asian_width

from bertviz_core.errors import shortened
from bertviz_core.showable import showable

Axis = dict[str, Any]

MAX_CELLS = 100_000
MAX_NAMED = 64  # tokens on a horizontal axis
MAX_UPRIGHT = 25  # tokens whose labels are upright on a narrow screen


def label(text: str, longest: int = 24) -> str:
    """A text that is safe in a figure, where Plotly reads tags and entities."""
    short = text if len(text) <= longest else shortened(text, longest)
    return escape(showable(short, from_right=True))  # keeps its side of a number


def numbered(tokens: Sequence[str], first: int = 0, longest: int = 24) -> list[str]:
    """Labels that differ where a token comes twice: "4 python"."""
    return [f"{number} {label(token, longest)}" for number, token in enumerate(tokens, first)]


def width_of(names: Sequence[str]) -> int:
    """The width of the longest label, in pixels, by estimate: faster than Plotly measures it."""
    longest = max(
        (sum(2 if east_asian_width(c) in "WF" else 1 for c in unescape(name)) for name in names),
        default=0,
    )
    return min(7 * longest + 14, 190)


def titled(text: str, **more: Any) -> Axis:
    """An axis with a title."""
    return {"title": {"text": text}} | more


def layers(numbers: Sequence[int] = (), **more: Any) -> Axis:
    """An axis of layers, with a number at each, or at every fourth of many."""
    far = max(numbers, default=0) - min(numbers, default=0) > 13
    return titled("layer (0 = input embedding)", dtick=4 if far else 1) | more


def named(names: Sequence[str], most: int = MAX_NAMED, **more: Any) -> Axis:
    """An axis with names at 0, 1, 2, ...: at most `most` of them, evenly spread; no grid."""
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
