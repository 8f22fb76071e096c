"""Nearest neighbours as bars."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, label, named_rows
from bertviz_core.figures.colors import TOKEN


def neighbor_bars(
    tokens: Sequence[str], scores: NDArray[np.float32], *, score_name: str
) -> go.Figure:
    """Draw the score of each neighbour, best on top.

    Args:
        tokens: k tokens, best first.
        scores: float32 (k,).
        score_name: What the scores are, for the axis: "cosine similarity".

    Returns:
        A bar chart with k bars, each with its number.

    Raises:
        ValueError: There is not one score a token.
    """
    if scores.shape != (len(tokens),):
        raise ValueError(f"scores have shape {scores.shape}, tokens {(len(tokens),)}")
    rows = np.arange(len(tokens))
    names = [label(token) for token in tokens]
    figure = go.Figure(
        go.Bar(
            x=scores,
            y=rows,
            orientation="h",
            marker_color=TOKEN,
            text=[f"{score:.3f}" for score in scores],
            textposition="auto",
            insidetextfont={"color": "#FFFFFF", "size": 13},
            outsidetextfont_size=13,
            customdata=names,
            hovertemplate="%{customdata}<br>" + score_name + " %{x:.4f}<extra></extra>",
        )
    )
    figure.update_xaxes(title_text=score_name, zeroline=True)
    figure.update_yaxes(**named_rows(names))
    return compact(figure, 22 * len(tokens) + 90).update_layout(bargap=0.15)
