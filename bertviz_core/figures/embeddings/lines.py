"""A few quantities over tokens or runs, as lines that differ in colour, dash and name."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, numbered, thinned
from bertviz_core.figures.colors import DASHES, SENTENCES

MOST_MARKED = 100
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")


def lines_over_tokens(
    lines: Mapping[str, NDArray[np.floating[Any]]], tokens: Sequence[str], *, title: str
) -> go.Figure:
    """Draw one quantity a line, over the tokens of a text; with marks up to 100 tokens.

    Args:
        lines: Name and (seq_len,) of each line.
        tokens: seq_len labels.
        title: What is measured, for the vertical axis.

    Raises:
        ValueError: A line has not one value a token.
    """
    for name, values in lines.items():
        if values.shape != (len(tokens),):
            raise ValueError(f"line {name!r} has shape {values.shape}, tokens {(len(tokens),)}")
    names, ticks = numbered(tokens), thinned(len(tokens), 64)
    figure = _lines(lines, np.arange(len(tokens)), "%{customdata}<br>%{y:.3f}", names)
    figure.update_layout(
        xaxis={
            "tickmode": "array",
            "tickvals": ticks,
            "ticktext": [names[i] for i in ticks],
            "zeroline": False,
        },
        yaxis={"title": {"text": title}, "rangemode": "tozero"},
    )
    return figure


def lines_over_runs(
    lines: Mapping[str, NDArray[np.floating[Any]]], *, runs: str, title: str
) -> go.Figure:
    """Draw one quantity a line, over the number of runs, 1, 2, 3, ...

    Args:
        lines: Name and (n,) of each line.
        runs: What is counted, for the horizontal axis.
        title: What is measured, for the vertical axis.

    Raises:
        ValueError: The lines differ in length.
    """
    shapes = {values.shape for values in lines.values()}
    if len(shapes) != 1:
        raise ValueError(f"lines have shapes {sorted(shapes)}, expected one shape")
    counts = np.arange(1, next(iter(shapes))[0] + 1)
    figure = _lines(lines, counts, "%{x}: %{y:.4f}", [])
    figure.update_layout(
        xaxis={"title": {"text": runs}, "zeroline": False, "tickformat": "d"},
        yaxis={"title": {"text": title}, "rangemode": "tozero"},
    )
    return figure


def _lines(
    lines: Mapping[str, NDArray[np.floating[Any]]],
    places: NDArray[np.int64],
    hover: str,
    names: Sequence[str],
) -> go.Figure:
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers" if len(values) <= MOST_MARKED else "lines",
            "x": places,
            "y": values.astype(np.float32),
            "name": name,
            "line": {
                "color": SENTENCES[number % len(SENTENCES)],
                "dash": DASHES[number % len(DASHES)],
                "width": 2,
            },
            "marker": {"symbol": _SYMBOLS[number % len(_SYMBOLS)], "size": 7},
            "customdata": names,
            "hovertemplate": f"{hover}<extra>{name}</extra>",
        }
        for number, (name, values) in enumerate(lines.items())
    ]
    figure = go.Figure({"data": traces})
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": -0.24, "xanchor": "left", "yanchor": "top"},
    )
    return compact(figure, 380)
