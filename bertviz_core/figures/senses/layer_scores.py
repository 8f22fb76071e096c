"""One score a layer, with the best layers marked."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact
from bertviz_core.figures.colors import MUTED, TOKEN


def layer_scores(
    scores: NDArray[np.float32],
    *,
    score_name: str,
    best: Sequence[int],
    layer: int,
    full_scale: bool = False,
) -> go.Figure:
    """Draw a score over the layers 0 (input embedding) to the last.

    Args:
        scores: float32 (layers,); NaN where a layer has none.
        score_name: For the vertical axis.
        best: Layers to mark by a larger point.
        layer: The layer in view, marked by a vertical line.
        full_scale: Whether the axis reaches to 1, the highest there can be.

    Returns:
        A line chart with one point a layer.

    Raises:
        ValueError: The scores are no row of numbers, or a layer lies outside them.
    """
    if scores.ndim != 1 or not all(0 <= place < len(scores) for place in (*best, layer)):
        raise ValueError(f"scores have shape {scores.shape}, layers are {[*best, layer]}")
    marks = np.isin(np.arange(len(scores)), np.array(best, dtype=int))
    figure = go.Figure(
        {
            "data": [
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "x": np.arange(len(scores)),
                    "y": scores,
                    "line": {"color": TOKEN, "width": 2.5},
                    "marker": {
                        "color": TOKEN,
                        "size": np.where(marks, 15, 7),
                        "symbol": ["star" if mark else "circle" for mark in marks],
                        "opacity": 1,
                    },
                    "hovertemplate": "layer %{x}<br>" + score_name + " %{y:.3f}<extra></extra>",
                }
            ]
        }
    )
    figure.update_layout(
        showlegend=False,
        shapes=[
            {
                "type": "line",
                "yref": "paper",
                "x0": layer,
                "x1": layer,
                "y0": 0,
                "y1": 1,
                "line": {"color": MUTED, "width": 1.5, "dash": "dot"},
            }
        ],
        xaxis={
            "title": {"text": "layer (0 = input embedding)"},
            "dtick": 1 if len(scores) <= 14 else 4,
            "zeroline": False,
        },
        yaxis={"title": {"text": score_name}, "tickformat": ".2f", "zeroline": False},
    )
    if full_scale:
        lowest = float(np.nanmin(scores, initial=0.0))
        figure.update_layout(yaxis_range=[min(lowest - 0.05, -0.1), 1.08])
    return compact(figure, 330)
