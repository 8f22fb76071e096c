"""How alike every word is to every other, as a square."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import COLOR_BAR, compact, label
from bertviz_core.figures.colors import SIMILARITY

MOST_WITH_NUMBERS = 12


def similarity_matrix_heatmap(
    values: NDArray[np.float32],
    names: Sequence[str],
    *,
    percentiles: NDArray[np.float64] | None = None,
) -> go.Figure:
    """Draw a matrix of cosines, with its numbers while they are readable.

    Args:
        values: float32 (n, n), cosines.
        names: n names; equal ones stay apart, because the axes count places.
        percentiles: Of the same shape, percent of unrelated pairs below each cosine; the pointer
            then tells it.

    Returns:
        A heatmap on Viridis, from the smallest value to 1, bright where two are alike.

    Raises:
        ValueError: `values` is not square or has not one row a name, or not one percentile a
            cosine.
    """
    count = len(names)
    if values.shape != (count, count):
        raise ValueError(f"values have shape {values.shape}, names make {(count, count)}")
    if percentiles is not None and percentiles.shape != values.shape:
        raise ValueError(f"values have shape {values.shape}, percentiles {percentiles.shape}")
    beside = "" if percentiles is None else "<br>higher than %{customdata:.1f}% of unrelated pairs"
    low = float(values.min(initial=0.99))
    shown = [label(name, 18) for name in names]
    figure = go.Figure(
        go.Heatmap(
            z=values,
            zmin=low,
            zmax=1.0,
            colorscale=SIMILARITY,
            colorbar=COLOR_BAR,
            texttemplate="%{z:.2f}" if count <= MOST_WITH_NUMBERS else None,
            customdata=percentiles,
            hovertemplate="%{y}<br>%{x}<br>%{z:.3f}" + beside + "<extra></extra>",
        )
    )
    ticks = {"tickmode": "array", "tickvals": list(range(count)), "ticktext": shown}
    figure.update_xaxes(showgrid=False, zeroline=False, **ticks)
    figure.update_yaxes(range=[count - 0.5, -0.5], showgrid=False, zeroline=False, **ticks)
    return compact(figure, max(40 * count + 130, 380))
