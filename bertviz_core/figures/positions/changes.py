"""How far each token moved, layer by layer."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, numbered, thinned
from bertviz_core.figures.positions.curves import Curve, curves_over

CHANGE = "Cividis"  # not the scale of similarities: here bright means different
ROW, SMALLEST, LARGEST = 24, 220, 560


def change_heatmap(values: NDArray[np.float32], tokens: Sequence[str]) -> go.Figure:
    """Draw the change of every token at every layer.

    Args:
        values: float32 (num_hidden_layers + 1, seq_len), 1 - cosine, at least 0.
        tokens: seq_len tokens.

    Returns:
        A heatmap, tokens down and layers across, from 0 to the largest change.

    Raises:
        ValueError: There is not one column a token.
    """
    if values.ndim != 2 or values.shape[1] != len(tokens):
        raise ValueError(f"changes have shape {values.shape}, tokens {(len(tokens),)}")
    height = int(np.clip(len(tokens) * ROW, SMALLEST, LARGEST))
    names = numbered(tokens)
    places = thinned(len(tokens), height // 14)
    figure = go.Figure(
        go.Heatmap(
            z=np.ascontiguousarray(values.T, dtype=np.float32),
            zmin=0,
            zmax=max(float(values.max(initial=0)), 1e-6),
            colorscale=CHANGE,
            colorbar={
                "title": {"text": "1 − cosine", "side": "right", "font_size": 11},
                "thickness": 8,
                "outlinewidth": 0,
                "tickfont_size": 10,
                "xpad": 4,
            },
            customdata=np.array([[name] * len(values) for name in names], dtype=object),
            hovertemplate="%{customdata}<br>layer %{x}<br>1 − cosine %{z:.3f}<extra></extra>",
        )
    )
    figure.update_xaxes(
        title_text="layer (0 = input embedding)", showgrid=False, zeroline=False, dtick=1
    )
    figure.update_yaxes(
        range=[len(tokens) - 0.5, -0.5],
        tickmode="array",
        tickvals=places,
        ticktext=[names[i] for i in places],
        showgrid=False,
        zeroline=False,
    )
    return compact(figure, height + 100)


def change_curves(curves: Sequence[Curve]) -> go.Figure:
    """Draw mean changes over the layers 0 (input embedding) to the last.

    Args:
        curves: Each (num_hidden_layers + 1,), mean of 1 - cosine.

    Returns:
        A line chart with a legend.

    Raises:
        ValueError: The curves differ in length.
    """
    figure = curves_over(
        curves, across="layer (0 = input embedding)", up="mean change, 1 − cosine", height=460
    )
    return figure.update_xaxes(dtick=1).update_yaxes(rangemode="tozero")
