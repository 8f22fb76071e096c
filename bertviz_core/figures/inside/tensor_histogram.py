"""How the numbers of one tensor are spread."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact
from bertviz_core.figures.colors import TOKEN


def tensor_histogram(
    counts: NDArray[np.int64], edges: NDArray[np.float64], *, color: str = TOKEN, log: bool = True
) -> go.Figure:
    """Draw how many numbers fall into each bin.

    Args:
        counts: int64 (bins,).
        edges: float64 (bins + 1,), rising.
        color: The colour that stands for the tensor's part of the model.
        log: Whether heights are on a logarithmic scale, where single outliers are seen.

    Raises:
        ValueError: There is not one bin between each two edges.
    """
    if edges.shape != (len(counts) + 1,):
        raise ValueError(f"counts have shape {counts.shape}, edges {edges.shape}")
    ends = np.stack([edges[:-1], edges[1:]], axis=1).astype(np.float32)
    trace: dict[str, Any] = {
        "type": "bar",
        "x": ends.mean(axis=1),
        "y": counts,
        "width": float(edges[1] - edges[0]),
        "customdata": ends,
        "marker": {"color": color, "line": {"width": 0}},
        "hovertemplate": (
            "%{customdata[0]:.4f} to %{customdata[1]:.4f}<br>%{y:,} numbers<extra></extra>"
        ),
    }
    figure = go.Figure({"data": [trace]})
    figure.update_xaxes(title_text="value of a number in the tensor")
    figure.update_yaxes(title_text="how many")
    if log:
        highest = np.log10(max(int(counts.max(initial=1)), 2))
        # From below 1, so that a bin with a single number is seen; powers of ten as labels.
        figure.update_yaxes(
            type="log", range=[np.log10(0.6), highest * 1.04 + 0.05], dtick=1, tickformat=",d"
        )
    return compact(figure, 320).update_layout(bargap=0, showlegend=False)
