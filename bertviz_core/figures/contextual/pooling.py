"""The same similarities under several poolings."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, label
from bertviz_core.figures.colors import MUTED, SENTENCES

SYMBOLS = ("circle", "triangle-left", "triangle-right", "diamond")


def pooling_dots(
    similarities: NDArray[np.float32], poolings: Sequence[str], names: Sequence[str]
) -> go.Figure:
    """Draw one row a pair of words, with a mark for each pooling.

    Args:
        similarities: float32 (p, n), cosines.
        poolings: p names, for the legend.
        names: n pairs; equal ones stay apart, because the axis counts places.

    Returns:
        A chart of marks; a grey line in each row spans smallest and largest.

    Raises:
        ValueError: There is not one row a pooling and one column a pair.
    """
    if similarities.shape != (len(poolings), len(names)):
        raise ValueError(
            f"similarities have shape {similarities.shape}, names {(len(poolings), len(names))}"
        )
    rows = np.arange(len(names))
    shown = [label(name, 34) for name in names]
    ends = np.stack([similarities.min(axis=0), similarities.max(axis=0)], axis=1)
    figure = go.Figure(
        go.Scatter(
            # A gap after each pair of ends keeps the lines of two rows apart.
            x=np.insert(ends.astype(np.float64), 2, np.nan, axis=1).ravel(),
            y=np.repeat(rows, 3),
            mode="lines",
            line={"color": MUTED, "width": 2},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    for number, (pooling, values) in enumerate(zip(poolings, similarities, strict=True)):
        figure.add_trace(
            go.Scatter(
                x=values,
                y=rows,
                mode="markers",
                name=label(pooling),
                marker={
                    "color": SENTENCES[number % len(SENTENCES)],
                    "symbol": SYMBOLS[number % len(SYMBOLS)],
                    "size": 11,
                },
                customdata=shown,
                hovertemplate="%{customdata}<br>%{x:.3f}<extra>" + label(pooling) + "</extra>",
            )
        )
    figure.update_xaxes(title_text="cosine similarity", tickformat=".2f", zeroline=False)
    figure.update_yaxes(
        range=[len(names) - 0.5, -0.5], tickmode="array", tickvals=rows, ticktext=shown,
        zeroline=False,
    )  # fmt: skip
    # Counted from the chart's lower edge: above it the legend would meet the menu.
    return compact(figure, 28 * len(names) + 170).update_layout(
        margin_b=44,
        legend={
            "orientation": "h", "x": 0, "xanchor": "left",
            "y": 0, "yref": "container", "yanchor": "bottom",
        },
    )  # fmt: skip
