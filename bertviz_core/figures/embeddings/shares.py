"""Token by token: length, direction and share of each part of its vector."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, numbered, thinned
from bertviz_core.figures.colors import OUTPUT, POSITION, SEGMENT, TOKEN

Array = NDArray[np.floating[Any]]
MOST_MARKED = 100  # tokens
NAMES = ("token", "segment", "position")
_COLORS = (TOKEN, SEGMENT, POSITION)
_SYMBOLS = ("circle", "diamond", "square")
TITLES = ("share in the output", "length", "cosine with the sum")
_DOMAINS = ((0.62, 0.95), (0.33, 0.53), (0.0, 0.22))


def shares_figure(
    tokens: Sequence[str], shares: Array, norms: Array, summed_norms: Array, cosines: Array
) -> go.Figure:
    """Draw shares as stacked columns, lengths and cosines below, over the same tokens.

    Lengths and cosines are marks up to 100 tokens and lines beyond.

    Args:
        tokens: seq_len labels.
        shares: (3, seq_len): of token, segment and position, in this order.
        norms: (3, seq_len).
        summed_norms: (seq_len,), length of the sum, drawn among the lengths.
        cosines: (3, seq_len).

    Returns:
        Three panels; one legend for all.

    Raises:
        ValueError: An array has another shape than the labels say.
    """
    shape = (3, len(tokens))
    for name, values in (("shares", shares), ("norms", norms), ("cosines", cosines)):
        if values.shape != shape:
            raise ValueError(f"{name} have shape {values.shape}, tokens make {shape}")
    if summed_norms.shape != shape[1:]:
        raise ValueError(f"summed_norms have shape {summed_norms.shape}, tokens {shape[1:]}")
    places = np.arange(len(tokens))
    names = numbered(tokens)
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "x": places,
            "y": shares[part].astype(np.float32),
            "name": name,
            "legendgroup": name,
            "marker": {"color": _COLORS[part]},
            "customdata": names,
            "hovertemplate": f"%{{customdata}}<br>{name}: %{{y:.1%}}<extra></extra>",
        }
        for part, name in enumerate(NAMES)
    ]
    for axis, rows in (("2", norms), ("3", cosines)):
        traces += [
            _marks(rows[part], names, name, _COLORS[part], _SYMBOLS[part], axis)
            for part, name in enumerate(NAMES)
        ]
    traces.insert(
        6,
        _marks(summed_norms, names, "sum", OUTPUT, "line-ew-open", "2")
        | {
            "showlegend": True,
        },
    )
    ticks = thinned(len(tokens), 64)
    layout: dict[str, Any] = {
        "barmode": "relative",
        "bargap": 0.25 if len(tokens) <= MOST_MARKED else 0,
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": -0.12, "xanchor": "left", "yanchor": "top"},
        "xaxis": {
            "tickmode": "array",
            "tickvals": ticks,
            "ticktext": [names[i] for i in ticks],
            "range": [-0.6, len(tokens) - 0.4],
            "anchor": "y3",
            "showgrid": False,
            "zeroline": False,
        },
        "annotations": [
            {
                "text": f"<b>{title}</b>",
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": domain[1],
                "yref": "paper",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 13},
            }
            for title, domain in zip(TITLES, _DOMAINS, strict=True)
        ],
        "yaxis": {"domain": _DOMAINS[0], "tickformat": ".0%"},
        "yaxis2": {"domain": _DOMAINS[1], "rangemode": "tozero"},
        "yaxis3": {"domain": _DOMAINS[2]},
    }
    return compact(go.Figure({"data": traces, "layout": layout}), 640)


def _marks(
    values: Array, names: list[str], name: str, color: str, symbol: str, axis: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        # A browser takes seconds for thousands of marks; a line is one shape.
        "mode": "markers" if len(values) <= MOST_MARKED else "lines",
        "x": np.arange(len(values)),
        "y": values.astype(np.float32),
        "yaxis": f"y{axis}",
        "name": name,
        "legendgroup": name,
        "showlegend": False,
        "line": {"color": color, "width": 1.5},
        "marker": {
            "color": color,
            "symbol": symbol,
            "size": 10,
            "line": {"width": 3 if "open" in symbol else 0, "color": color},
        },
        "customdata": names,
        "hovertemplate": f"%{{customdata}}<br>{name}: %{{y:.3f}}<extra></extra>",
    }
