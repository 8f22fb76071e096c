"""The nearest rows of the token table, layer under layer, and the rank of the word's own row."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import COLOR_BAR, compact, label
from bertviz_core.figures.colors import SIMILARITY, TOKEN

MUTED_LINE = "rgba(138, 143, 152, 0.6)"


def lens_grid(
    cosines: NDArray[np.float32],
    tokens: Sequence[Sequence[str]],
    own: Sequence[str],
    *,
    layer: int,
) -> go.Figure:
    """Draw one row of tokens a layer, best first.

    Args:
        cosines: float32 (layers, k).
        tokens: k tokens for each layer, layer 0 first.
        own: The pieces of the word; they are printed bold.
        layer: The layer to frame.

    Returns:
        A heatmap with layer 0 at the bottom, each cell with its token.

    Raises:
        ValueError: There is not one cosine a token.
    """
    found = (len(tokens), len(tokens[0]) if tokens else 0)
    if cosines.shape != found:
        raise ValueError(f"cosines have shape {cosines.shape}, tokens {found}")
    shown = [
        [f"<b>{label(token, 9)}</b>" if token in own else label(token, 9) for token in row]
        for row in tokens
    ]
    figure = go.Figure(
        go.Heatmap(
            z=np.ascontiguousarray(cosines, dtype=np.float32),
            text=shown,
            texttemplate="%{text}",
            textfont_size=12,
            customdata=[[label(token) for token in row] for row in tokens],
            colorscale=SIMILARITY,
            colorbar=COLOR_BAR,
            xgap=1,
            ygap=1,
            hovertemplate="layer %{y}, rank %{x}<br>%{customdata}<br>%{z:.3f}<extra></extra>",
            x=np.arange(1, found[1] + 1),
        )
    )
    figure.add_shape(
        type="rect", x0=0.5, x1=found[1] + 0.5, y0=layer - 0.5, y1=layer + 0.5,
        line={"color": "#D55E00", "width": 2.5},
    )  # fmt: skip
    figure.update_xaxes(title_text="rank", dtick=1, showgrid=False, zeroline=False)
    figure.update_yaxes(title_text="layer", dtick=1, showgrid=False, zeroline=False)
    return compact(figure, 30 * found[0] + 110)


def rank_curve(ranks: NDArray[np.int64], candidates: int, *, layer: int) -> go.Figure:
    """Draw the rank of the word's own row over the layers.

    Args:
        ranks: int64 (layers,), 1 for the nearest row.
        candidates: How many rows there are.
        layer: A layer to mark by a vertical line.

    Returns:
        A line chart on a logarithmic axis, rank 1 on top.

    Raises:
        ValueError: A rank lies outside 1 to `candidates`.
    """
    if ranks.ndim != 1 or ranks.min(initial=1) < 1 or ranks.max(initial=1) > candidates:
        raise ValueError(f"ranks of shape {ranks.shape} do not lie in 1 to {candidates}")
    figure = go.Figure(
        go.Scatter(
            x=np.arange(len(ranks)),
            y=ranks,
            mode="lines+markers",
            line={"color": TOKEN, "width": 2.5},
            marker={"color": TOKEN, "size": 7},
            hovertemplate="layer %{x}<br>rank %{y:,}<extra></extra>",
        )
    )
    figure.add_vline(x=layer, line_color=MUTED_LINE, line_width=1.5, line_dash="dot")
    figure.update_xaxes(title_text="layer (0 = input embedding)", dtick=1, zeroline=False)
    figure.update_yaxes(
        title_text="rank of its own row",
        type="log",
        range=[np.log10(candidates) + 0.1, -0.15],
        tickvals=[1, 10, 100, 1_000, 10_000, 100_000],
        ticktext=["1", "10", "100", "1,000", "10,000", "100,000"],
        zeroline=False,
    )
    return compact(figure, 300).update_layout(showlegend=False)
