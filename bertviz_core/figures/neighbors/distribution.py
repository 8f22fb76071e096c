"""Where a few scores stand among all of them."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact
from bertviz_core.figures.colors import MUTED, TOKEN

BINS = 120


def score_distribution(
    all_scores: NDArray[np.float32], found: NDArray[np.float32], *, score_name: str
) -> go.Figure:
    """Draw how the scores of all rows are spread, with the found ones marked below.

    Args:
        all_scores: float32 (n,), at least one.
        found: float32 (k,), the scores to mark.
        score_name: What the scores are, for the axis.

    Returns:
        A histogram of 120 bins whose counts add up to n, and k ticks on the zero line.

    Raises:
        ValueError: `all_scores` is empty.
    """
    if all_scores.size == 0:
        raise ValueError("no scores to show")
    counts, edges = np.histogram(all_scores, bins=BINS)
    figure = go.Figure(
        go.Bar(
            x=((edges[:-1] + edges[1:]) / 2).astype(np.float32),
            y=counts,
            width=float(edges[1] - edges[0]),
            marker_color=MUTED,
            marker_line_width=0,
            name="all candidates",
            hovertemplate=score_name + " %{x:.3f}<br>%{y:,} tokens<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=found,
            y=np.zeros(len(found), dtype=np.int8),
            mode="markers",
            marker={
                "symbol": "line-ns",
                "size": 18,
                "line": {"width": 2, "color": TOKEN},
                "color": TOKEN,
            },
            name="found",
            hovertemplate="found: %{x:.4f}<extra></extra>",
        )
    )
    figure.update_xaxes(title_text=score_name)
    figure.update_yaxes(title_text="tokens", rangemode="tozero", zeroline=False)
    return compact(figure, 250).update_layout(showlegend=False, bargap=0)
