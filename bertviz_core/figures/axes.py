"""Axes that name tokens, and the margins all figures share."""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

CELL_LIMIT = 100_000
MENU = 34  # pixels kept free above a chart for its menu


def label(text: str, longest: int = 24) -> str:
    """Make any text safe to print in a figure, where Plotly would read tags and entities.

    Args:
        text: A token or a word, of any characters.
        longest: Longer texts are cut, with an ellipsis.
    """
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    if len(shown) > longest:
        shown = shown[: longest - 1] + "…"
    return escape(shown)


def numbered(tokens: Sequence[str], first: int = 0) -> list[str]:
    """Labels that stay apart when a token comes twice: "4 python"."""
    return [f"{place} {label(token)}" for place, token in enumerate(tokens, start=first)]


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
