"""How much of the vectors of a layer follows from what went in, layer by layer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import layers, titled
from bertviz_core.figures.colors import MUTED, POSITION, TOKEN, faint
from bertviz_core.figures.drawing import Figure, Trace, draw

SENTENCE = "#56B4E9"


def explained_areas(added: NDArray[np.floating[Any]], rest: NDArray[np.floating[Any]]) -> Figure:
    """Draw shares of the variance as areas, one above the other, over the layers.

    Args:
        added: (3, layers), what token row, position and sentence add, in this order.
        rest: (layers,), what is left; all four add up to 1 at each layer.

    Returns:
        Four stacked areas, from 0 to 100%.

    Raises:
        ValueError: The shapes do not belong together.
    """
    if added.shape != (3, len(rest)):
        raise ValueError(f"added has shape {added.shape}, rest {rest.shape}")
    areas = [
        _area(added[0], "token row", TOKEN),
        _area(added[1], "+ position", POSITION),
        _area(added[2], "+ sentence", SENTENCE),
        _area(rest, "not explained", MUTED),
    ]
    return draw(
        areas,
        height=380,
        legend=True,
        hovermode="x unified",
        xaxis=layers(),
        yaxis=titled("share of the variance", tickformat=".0%", range=[0, 1]),
    )


def _area(shares: NDArray[np.floating[Any]], name: str, color: str) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.arange(len(shares)),
        "y": shares.astype(np.float32),
        "stackgroup": "shares",
        "name": name,
        "line": {"color": color, "width": 1.5},
        "fillcolor": faint(color, 0.25 if color == MUTED else 0.75),
        "hovertemplate": f"{name}: %{{y:.1%}}<extra></extra>",
    }
