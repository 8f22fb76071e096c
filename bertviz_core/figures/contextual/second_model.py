"""The same pairs of words in two models."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, label
from bertviz_core.figures.colors import TOKEN

MUTED_LINE = "rgba(138, 143, 152, 0.6)"
MOST_NAMED = 12


def model_scatter(
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    names: Sequence[str],
    models: tuple[str, str],
) -> go.Figure:
    """Draw each pair at its two similarities.

    Args:
        first: float32 (n,), cosine or percentile of each pair in the first model.
        second: float32 (n,), the same in the second.
        names: n names; up to 12 are printed beside their points.
        models: Titles of the two axes.

    Returns:
        A scatter chart with n points.

    Raises:
        ValueError: There is not one point a name.
    """
    if first.shape != (len(names),) or second.shape != first.shape:
        raise ValueError(
            f"similarities have shape {first.shape} and {second.shape}, names {(len(names),)}"
        )
    shown = [label(name, 34) for name in names]
    ranges = [_with_room(first), _with_room(second)]
    middle = sum(ranges[0]) / 2
    figure = go.Figure(
        go.Scatter(
            x=first,
            y=second,
            mode="markers+text" if len(names) <= MOST_NAMED else "markers",
            text=[label(name, 22) for name in names],
            # Names grow towards the middle, so that none is cut off at the edge.
            textposition=["top left" if x > middle else "top right" for x in first],
            textfont_size=12,
            marker={"color": TOKEN, "size": 9},
            customdata=shown,
            hovertemplate="%{customdata}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
        )
    )
    figure.update_xaxes(title_text=label(models[0], 60), range=ranges[0], zeroline=False)
    figure.update_yaxes(title_text=label(models[1], 60), range=ranges[1], zeroline=False)
    return compact(figure, 400).update_layout(showlegend=False)


def correlation_curve(
    correlation: NDArray[np.float64], layers: NDArray[np.int64], *, layer: int
) -> go.Figure:
    """Draw how alike two models order the same pairs, over the layers of the first.

    Args:
        correlation: float64 (m,), rank correlation in [-1, 1]; NaN leaves a gap.
        layers: int64 (m, 2), the layers compared.
        layer: A layer of the first model to mark by a vertical line.

    Returns:
        A line chart on an axis from -1 to 1.

    Raises:
        ValueError: There is not one pair of layers a number.
    """
    if layers.shape != (len(correlation), 2):
        raise ValueError(f"correlation has shape {correlation.shape}, layers {layers.shape}")
    figure = go.Figure(
        go.Scatter(
            x=layers[:, 0],
            y=correlation,
            mode="lines+markers",
            line={"color": TOKEN, "width": 2.5},
            marker={"color": TOKEN, "size": 7},
            customdata=layers[:, 1],
            hovertemplate="layer %{x} and layer %{customdata}<br>%{y:.3f}<extra></extra>",
        )
    )
    figure.add_vline(x=layer, line_color=MUTED_LINE, line_width=1.5, line_dash="dot")
    figure.update_xaxes(title_text="layer of the first model", dtick=1, zeroline=False)
    figure.update_yaxes(
        title_text="rank correlation", range=[-1.05, 1.05], tickformat=".1f", zeroline=True
    )
    return compact(figure, 300).update_layout(showlegend=False)


def _with_room(values: NDArray[np.float32]) -> list[float]:
    """The span of some values and a tenth more at each end, for their names."""
    low, high = float(values.min(initial=1)), float(values.max(initial=-1))
    room = 0.1 * max(high - low, 0.1)
    return [low - room, high + room]
