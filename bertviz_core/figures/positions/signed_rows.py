"""A few rows of a table under each other, red above zero and blue below."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import COLOR_BAR, compact, label, named_rows
from bertviz_core.figures.colors import diverging_scale


def signed_rows(values: NDArray[np.float32], names: Sequence[str], limit: float) -> go.Figure:
    """Draw a few named rows over all dimensions.

    Args:
        values: float32 (rows, dimensions).
        names: One a row.
        limit: The value, above 0, at which the colours saturate.

    Returns:
        A heatmap on a scale symmetric around zero.

    Raises:
        ValueError: There is not one row a name.
    """
    if values.ndim != 2 or len(values) != len(names):
        raise ValueError(f"values have shape {values.shape}, names {(len(names),)}")
    shown = [label(name) for name in names]
    figure = go.Figure(
        go.Heatmap(
            z=np.ascontiguousarray(values, dtype=np.float32),
            zmin=-limit,
            zmax=limit,
            colorscale=diverging_scale(),
            colorbar=COLOR_BAR,
            hovertemplate="%{y}<br>dimension %{x}<br>%{z:.4f}<extra></extra>",
        )
    )
    figure.update_xaxes(title_text="dimension", showgrid=False, zeroline=False)
    figure.update_yaxes(zeroline=False, **named_rows(shown))
    return compact(figure, 44 * len(names) + 130)
