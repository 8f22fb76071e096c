"""Points in order, joined and coloured by their place."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact
from bertviz_core.figures.colors import SIMILARITY

Array = NDArray[np.float32]
LINE = "rgba(138, 143, 152, 0.45)"  # faint: a path that goes round often must not hide its points


def path_figure(
    coordinates: Array, explained: Array, components: tuple[int, int], *, of: str, mark: int
) -> go.Figure:
    """Draw the path of rows through two principal components, coloured by row number.

    Args:
        coordinates: float32 (n, 2).
        explained: float32 (2,), share of variance of each component, for the axes.
        components: Numbers of the two components, counted from 1, for the axes.
        of: What a row is: "position".
        mark: A row to mark by a ring.

    Returns:
        A scatter chart with a line through all points in order.

    Raises:
        ValueError: There are not two coordinates a row, or two shares.
    """
    if coordinates.ndim != 2 or coordinates.shape[1] != 2 or explained.shape != (2,):
        raise ValueError(f"coordinates have shape {coordinates.shape}, shares {explained.shape}")
    places = np.arange(len(coordinates))
    figure = go.Figure(
        go.Scatter(
            x=coordinates[:, 0],
            y=coordinates[:, 1],
            mode="lines+markers",
            line={"color": LINE, "width": 0.8},
            marker={
                "color": places,
                "colorscale": SIMILARITY,
                "size": 6,
                "colorbar": {
                    "title": {"text": of, "side": "right", "font_size": 11},
                    "thickness": 8,
                    "outlinewidth": 0,
                    "tickfont_size": 10,
                    "xpad": 4,
                },
            },
            customdata=places,
            hovertemplate=of + " %{customdata}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
            showlegend=False,
        )
    )
    figure.add_trace(
        go.Scatter(
            x=coordinates[[mark], 0],
            y=coordinates[[mark], 1],
            mode="markers",
            marker={"size": 13, "symbol": "circle-open", "color": "#D55E00", "line_width": 2.5},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    for axis, component, share in zip(
        (figure.update_xaxes, figure.update_yaxes), components, explained, strict=True
    ):
        axis(title_text=f"component {component} ({share:.0%} of the variance)", zeroline=False)
    return compact(figure, 400)
