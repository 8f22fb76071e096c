"""How strongly a loss pulls at the parts of a model, and at single rows of its tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, label, named_rows, numbered, thinned
from bertviz_core.figures.colors import POSITION, SEGMENT, TOKEN

Array = NDArray[np.float32]


def gradient_bars(names: Sequence[str], norms: Array, colors: Sequence[str]) -> go.Figure:
    """Draw the length of the gradient of each part, the first on top.

    Args:
        names: One a part.
        norms: float32 (parts,), at least 0.
        colors: One a part.

    Raises:
        ValueError: The columns differ in length.
    """
    if not norms.shape == (len(names),) == (len(colors),):
        raise ValueError(
            f"norms have shape {norms.shape}, names {(len(names),)}, colors {(len(colors),)}"
        )
    shown = [label(name, 30) for name in names]
    trace: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "x": norms,
        "y": np.arange(len(names)),
        "marker": {"color": list(colors)},
        "text": [f"{norm:.3g}" for norm in norms],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": shown,
        "hovertemplate": "%{customdata}<br>gradient %{x:.5f}<extra></extra>",
    }
    figure = go.Figure({"data": [trace]})
    longest = float(norms.max(initial=0)) or 1.0
    figure.update_xaxes(title_text="length of the gradient", range=[0, longest * 1.15])
    figure.update_yaxes(**named_rows(shown))
    return compact(figure, 24 * len(names) + 90).update_layout(bargap=0.2, showlegend=False)


def row_gradients(
    tokens: Sequence[str], words: Array, positions: Array, segments: Array
) -> go.Figure:
    """Draw, for each token of a text, the gradients of the three rows that were added for it.

    Args:
        tokens: seq_len labels.
        words: float32 (seq_len,), of its row of the token table.
        positions: float32 (seq_len,), of its row of the position table.
        segments: float32 (seq_len,), of its row of the segment table.

    Raises:
        ValueError: An array has not one value a token.
    """
    parts = (
        ("token row", words, TOKEN, "circle", 8),
        # Open and larger: it often lies on the token's own.
        ("position row", positions, POSITION, "square-open", 15),
        ("segment row", segments, SEGMENT, "diamond", 9),
    )
    for name, values, *_ in parts:
        if values.shape != (len(tokens),):
            raise ValueError(f"{name} has shape {values.shape}, tokens {(len(tokens),)}")
    names, ticks = numbered(tokens), thinned(len(tokens), 64)
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": np.arange(len(tokens)),
            "y": values,
            "name": name,
            "marker": {
                "color": color,
                "symbol": symbol,
                "size": size,
                "line": {"width": 2 if symbol.endswith("open") else 0},
            },
            "customdata": names,
            "hovertemplate": f"%{{customdata}}<br>{name}: %{{y:.5f}}<extra></extra>",
        }
        for name, values, color, symbol, size in parts
    ]
    figure = go.Figure({"data": traces})
    figure.update_xaxes(
        tickmode="array",
        tickvals=ticks,
        ticktext=[names[i] for i in ticks],
        range=[-0.6, len(tokens) - 0.4],
        zeroline=False,
    )
    figure.update_yaxes(title_text="length of the row's gradient", rangemode="tozero")
    return compact(figure, 360).update_layout(
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": -0.24, "xanchor": "left", "yanchor": "top"},
    )
