"""Axes that name tokens, and the margins all figures share."""

from collections.abc import Sequence
from html import escape, unescape
from typing import Any
from unicodedata import east_asian_width

import plotly.graph_objects as go

CELL_LIMIT = 100_000
# A narrow bar beside a heatmap.
COLOR_BAR: dict[str, Any] = {"thickness": 8, "outlinewidth": 0, "tickfont_size": 10, "xpad": 4}
MENU = 34  # pixels kept free above a chart for its menu


def label(text: str, longest: int = 24) -> str:
    """Make any text safe to print in a figure, where Plotly would read tags and entities.

    Args:
        text: A token or a word, of any characters.
        longest: Longer texts are cut, with an ellipsis.
    """
    shown = text
    if not text.isprintable():
        shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    if len(shown) > longest:
        shown = shown[: longest - 1] + "…"
    return escape(shown)


def numbered(tokens: Sequence[str], first: int = 0) -> list[str]:
    """Labels that stay apart when a token comes twice: "4 python"."""
    return [f"{place} {label(token)}" for place, token in enumerate(tokens, start=first)]


def label_width(names: Sequence[str], size: int = 11) -> int:
    """Pixels to keep free for labels: Plotly measuring them itself would draw a chart twice.

    Args:
        names: What will be printed.
        size: Of the letters, in pixels.
    """
    longest = max((sum(_em(c) for c in unescape(name)) for name in names), default=0.0)
    return min(round(longest * size) + 14, 190)


def _em(character: str) -> float:
    """About how wide a character is, in units of its height; CJK and emoji are square."""
    if east_asian_width(character) in "WF":
        return 1.05
    return 0.3 if character in " .,:;!'|il" else 0.72 if character in "mwMW@" else 0.57


def named_rows(names: Sequence[str]) -> dict[str, Any]:
    """A y axis with one row a name, the first on top; names as `label` gives them."""
    return {
        "range": [len(names) - 0.5, -0.5],
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "showgrid": False,
    }


def thinned(count: int, most: int) -> list[int]:
    """Places to label where `count` labels do not fit: at most `most`, evenly, from the first."""
    step = -(-count // most) if count > most else 1
    return list(range(0, count, step))


def compact(figure: go.Figure, height: int) -> go.Figure:
    """Give a figure its height and narrow margins; labels make their own room."""
    figure.update_layout(height=height, margin={"l": 8, "r": 8, "t": MENU, "b": 8})
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return figure
