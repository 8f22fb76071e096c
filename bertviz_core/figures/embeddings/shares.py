"""Token by token: length, direction and share of each part of its vector."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import named, numbered
from bertviz_core.figures.colors import OUTPUT, POSITION, SEGMENT, TOKEN
from bertviz_core.figures.drawing import Figure, Trace, draw, panel_title

Array = NDArray[np.floating[Any]]
MOST_MARKED = 100  # tokens
# Name, colour and mark of each part.
PARTS = (
    ("token", TOKEN, "circle"),
    ("segment", SEGMENT, "diamond"),
    ("position", POSITION, "square"),
)
_PANELS = {
    "share in the output": [0.62, 0.95],
    "length": [0.33, 0.53],
    "cosine with the sum": [0.0, 0.22],
}


def shares_figure(
    tokens: Sequence[str], shares: Array, norms: Array, summed_norms: Array, cosines: Array
) -> Figure:
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
    names = numbered(tokens)
    bars = [
        {
            "type": "bar",
            "x": np.arange(len(tokens)),
            "y": shares[part].astype(np.float32),
            "name": name,
            "legendgroup": name,
            "marker": {"color": color},
            "customdata": names,
            "hovertemplate": f"%{{customdata}}<br>{name}: %{{y:.1%}}<extra></extra>",
        }
        for part, (name, color, _) in enumerate(PARTS)
    ]
    marks = [
        _marks(rows[part], names, *PARTS[part], axis)
        for axis, rows in (("y2", norms), ("y3", cosines))
        for part in range(3)
    ]
    summed = _marks(summed_norms, names, "sum", OUTPUT, "line-ew-open", "y2")
    across, length, cosine = _PANELS.values()
    return draw(
        [*bars, *marks, summed | {"showlegend": True}],
        height=640,
        legend=True,
        barmode="relative",
        bargap=0.25 if len(tokens) <= MOST_MARKED else 0,
        annotations=[
            panel_title(f"<b>{title}</b>", y=domain[1]) for title, domain in _PANELS.items()
        ],
        xaxis=named(names, range=[-0.6, len(tokens) - 0.4], anchor="y3"),
        yaxis={"domain": across, "tickformat": ".0%", "zeroline": True},
        yaxis2={"domain": length, "rangemode": "tozero", "zeroline": True},
        yaxis3={"domain": cosine, "zeroline": True},
    )


def _marks(values: Array, names: list[str], name: str, color: str, symbol: str, axis: str) -> Trace:
    return {
        "type": "scatter",
        # A browser takes seconds for thousands of marks; a line is one shape.
        "mode": "markers" if len(values) <= MOST_MARKED else "lines",
        "x": np.arange(len(values)),
        "y": values.astype(np.float32),
        "yaxis": axis,
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
