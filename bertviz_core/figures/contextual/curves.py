"""Similarity from layer to layer."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, label
from bertviz_core.figures.colors import DASHES, SENTENCES

MUTED_LINE = "rgba(138, 143, 152, 0.6)"


def similarity_curves(
    curves: NDArray[np.float32],
    names: Sequence[str],
    *,
    layer: int | None = None,
    percentiles: NDArray[np.float64] | None = None,
) -> go.Figure:
    """Draw one curve a name over the layers 0 (input embedding) to the last.

    Args:
        curves: float32 (n, num_hidden_layers + 1), cosines.
        names: n names, for the legend.
        layer: A layer to mark by a vertical line.
        percentiles: Of the same shape, percent of unrelated pairs below each cosine; the pointer
            then tells it.

    Returns:
        A line chart; curves differ in colour and in line style.

    Raises:
        ValueError: There is not one curve a name, or not one percentile a cosine.
    """
    if curves.ndim != 2 or len(curves) != len(names):
        raise ValueError(f"curves have shape {curves.shape}, names {(len(names),)}")
    if percentiles is not None and percentiles.shape != curves.shape:
        raise ValueError(f"curves have shape {curves.shape}, percentiles {percentiles.shape}")
    beside = "" if percentiles is None else "<br>higher than %{customdata:.1f}% of unrelated pairs"
    figure = go.Figure()
    for number, (curve, name) in enumerate(zip(curves, names, strict=True)):
        color = SENTENCES[number % len(SENTENCES)]
        figure.add_trace(
            go.Scatter(
                x=np.arange(curves.shape[1]),
                y=curve,
                mode="lines+markers",
                name=label(name, 40),
                line={"color": color, "dash": DASHES[number % len(DASHES)], "width": 2.5},
                marker={"color": color, "size": 6},
                customdata=None if percentiles is None else percentiles[number],
                hovertemplate="layer %{x}<br>%{y:.3f}"
                + beside
                + f"<extra>{label(name, 40)}</extra>",
            )
        )
    if layer is not None:
        figure.add_vline(x=layer, line_color=MUTED_LINE, line_width=1.5, line_dash="dot")
    figure.update_xaxes(title_text="layer (0 = input embedding)", dtick=1, zeroline=False)
    figure.update_yaxes(title_text="cosine similarity", tickformat=".2f", zeroline=False)
    compact(figure, 380)
    return figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -0.24, "yanchor": "top"},
    )
