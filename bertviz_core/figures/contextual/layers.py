"""Tokens near a word, layer by layer: of the token table, and of other sentences."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label, layers, named_rows, titled
from bertviz_core.figures.colors import SIMILARITY
from bertviz_core.figures.drawing import Figure, draw, frame, line, vertical_line


def lens_grid(
    cosines: NDArray[np.float32],
    tokens: Sequence[Sequence[str]],
    own: Sequence[str],
    *,
    layer: int,
) -> Figure:
    """Draw tokens that fit a word at each layer, one row of tokens a layer, best first.

    Args:
        cosines: float32 (layers, k), of the nearest rows; or probabilities of predicted tokens.
        tokens: k tokens for each layer, layer 0 first.
        own: The pieces of the word; they are printed bold.
        layer: The layer to frame.

    Returns:
        A heatmap with layer 0 at the bottom, each cell with its token.

    Raises:
        ValueError: There is not one cosine a token.
    """
    shape = (len(tokens), len(tokens[0]) if tokens else 0)
    if cosines.shape != shape:
        raise ValueError(f"cosines have shape {cosines.shape}, tokens {shape}")
    cells = {
        "type": "heatmap",
        "x": np.arange(1, shape[1] + 1),
        "z": cosines,
        "text": [
            [f"<b>{label(token, 9)}</b>" if token in own else label(token, 9) for token in row]
            for row in tokens
        ],
        "texttemplate": "%{text}",
        "textfont": {"size": 12},  # Plotly would count the letters of <b> to choose one
        "customdata": [[label(token) for token in row] for row in tokens],
        "colorscale": SIMILARITY,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "layer %{y}, rank %{x}<br>%{customdata}<br>%{z:.3f}<extra></extra>",
    }
    return draw(
        [cells],
        height=30 * shape[0] + 110,
        shapes=[frame((1, shape[1]), (layer, layer))],
        xaxis=titled("rank", dtick=1),
        yaxis=layers("layer", showgrid=False),
    )


def rank_curve(ranks: NDArray[np.int64], candidates: int, *, layer: int) -> Figure:
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
    powers = [10**power for power in range(6)]
    return draw(
        [line(np.arange(len(ranks)), ranks, "", "layer %{x}<br>rank %{y:,}")],
        height=300,
        shapes=[vertical_line(layer)],
        xaxis=layers(),
        yaxis=titled(
            "rank of its own row",
            type="log",
            range=[np.log10(candidates) + 0.1, -0.15],
            tickvals=powers,
            ticktext=[f"{power:,}" for power in powers],
        ),
    )


def token_layers(
    cosines: NDArray[np.float32], names: Sequence[str], *, layer: int, hints: Sequence[str] = ()
) -> Figure:
    """Draw how near some tokens are to a word, one row a token and one column a layer.

    Args:
        cosines: float32 (n, layers), cosine of each token to the word at each layer.
        names: n names, the nearest first; equal ones stay apart, because the axis counts rows.
        layer: The layer to frame, by which the rows are ordered.
        hints: What the pointer tells beside the number; none, or one a token.

    Returns:
        A heatmap on Viridis, bright where a token is near.

    Raises:
        ValueError: There is not one row a name.
    """
    if cosines.ndim != 2 or len(cosines) != len(names):
        raise ValueError(f"cosines have shape {cosines.shape}, names {(len(names),)}")
    shown = [label(hint, 80) for hint in hints] or [""] * len(names)
    cells = {
        "type": "heatmap",
        "z": cosines,
        "colorscale": SIMILARITY,
        "customdata": [[hint] * cosines.shape[1] for hint in shown],
        "hovertemplate": "%{y}<br>%{customdata}<br>layer %{x}: %{z:.3f}<extra></extra>",
    }
    return draw(
        [cells],
        height=26 * len(names) + 110,
        shapes=[frame((layer, layer), (0, len(names) - 1))],
        xaxis=layers(),
        yaxis=named_rows([label(name, 22) for name in names]),
    )
