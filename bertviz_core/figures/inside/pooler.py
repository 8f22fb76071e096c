"""Before and after the pooler, one point a dimension."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact
from bertviz_core.figures.colors import MUTED, OUTPUT, TOKEN

Array = NDArray[np.float32]


def pooler_scatter(before: Array, after: Array, *, before_name: str, curve: bool) -> go.Figure:
    """Draw the pooler's output against what stood in the same dimension before.

    Args:
        before: float32 (hidden_size,).
        after: float32 (hidden_size,), in [-1, 1].
        before_name: What `before` is, for the axis.
        curve: Whether to draw tanh as a line behind the points.

    Raises:
        ValueError: The two differ in shape.
    """
    if before.shape != after.shape:
        raise ValueError(f"before has shape {before.shape}, after {after.shape}")
    figure = go.Figure()
    if curve:
        end = float(np.abs(before).max(initial=1.0)) * 1.05
        places = np.linspace(-end, end, 121, dtype=np.float32)
        figure.add_trace(
            go.Scatter(
                x=places,
                y=np.tanh(places),
                mode="lines",
                line={"color": MUTED, "width": 1.5},
                hoverinfo="skip",
                name="tanh",
            )
        )
    figure.add_trace(
        go.Scatter(
            x=before,
            y=after,
            mode="markers",
            marker={"color": OUTPUT if curve else TOKEN, "size": 6, "opacity": 0.75},
            customdata=np.arange(before.size, dtype=np.int32),
            hovertemplate="dimension %{customdata}<br>before %{x:.4f}<br>after %{y:.4f}"
            "<extra></extra>",
            name="dimensions",
        )
    )
    figure.update_xaxes(title_text=before_name)
    figure.update_yaxes(title_text="pooler_output", range=[-1.08, 1.08])
    return compact(figure, 340).update_layout(showlegend=False)
