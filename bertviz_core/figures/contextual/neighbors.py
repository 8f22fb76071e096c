"""How near some tokens are to a word, at every layer."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import COLOR_BAR, compact, label, label_width, named_rows
from bertviz_core.figures.colors import SIMILARITY

FRAME = "#D55E00"


def token_layers(
    cosines: NDArray[np.float32], names: Sequence[str], *, layer: int, said: Sequence[str] = ()
) -> go.Figure:
    """Draw one row a token and one column a layer.

    Args:
        cosines: float32 (n, layers), cosine of each token to the word at each layer.
        names: n names, the nearest first; equal ones stay apart, because the axis counts places.
        layer: The layer to frame, by which the rows are ordered.
        said: What the pointer tells beside the number; none, or one a token.

    Returns:
        A heatmap on Viridis, bright where a token is near.

    Raises:
        ValueError: There is not one row a name.
    """
    if cosines.ndim != 2 or len(cosines) != len(names):
        raise ValueError(f"cosines have shape {cosines.shape}, names {(len(names),)}")
    shown = [label(name, 22) for name in names]
    hints = [label(text, 80) for text in said] or [""] * len(names)
    figure = go.Figure(
        go.Heatmap(
            z=np.ascontiguousarray(cosines, dtype=np.float32),
            colorscale=SIMILARITY,
            colorbar=COLOR_BAR,
            customdata=[[hint] * cosines.shape[1] for hint in hints],
            hovertemplate="%{y}<br>%{customdata}<br>layer %{x}: %{z:.3f}<extra></extra>",
        )
    )
    figure.add_shape(
        type="rect", x0=layer - 0.5, x1=layer + 0.5, y0=-0.5, y1=len(names) - 0.5,
        line={"color": FRAME, "width": 2.5},
    )  # fmt: skip
    figure.update_xaxes(
        title_text="layer (0 = input embedding)", dtick=1, showgrid=False, zeroline=False
    )
    figure.update_yaxes(zeroline=False, **named_rows(shown))
    compact(figure, 26 * len(names) + 110)
    return figure.update_layout(margin_l=label_width(shown, 12))
