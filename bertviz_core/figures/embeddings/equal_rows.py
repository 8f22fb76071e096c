"""Which rows of one text equal which rows of another, and for how many stages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, numbered, thinned

# Sequential and light to dark, so that it reads without colour; the first is nearly the ground.
STEPS = ("rgba(138, 143, 152, 0.15)", "#C6DBEF", "#6BAED6", "#2171B5", "#08306B")
MOST_WITH_NUMBERS = 400


def equal_rows_heatmap(
    kept: NDArray[np.int64], first: Sequence[str], second: Sequence[str], *, stages: Sequence[str]
) -> go.Figure:
    """Draw a square for each pair of rows, darker the longer they stay equal.

    Args:
        kept: int64 (len(first), len(second)), stages two rows stay equal, 0 to 4.
        first: Tokens down.
        second: Tokens across.
        stages: The four stages' names.

    Returns:
        A heatmap in five colours; numbers in the squares of equal rows up to 400 pairs.

    Raises:
        ValueError: `kept` has another shape than the tokens say, or there are not four stages.
    """
    shape = (len(first), len(second))
    if kept.shape != shape:
        raise ValueError(f"kept has shape {kept.shape}, tokens make {shape}")
    if len(stages) != len(STEPS) - 1:
        raise ValueError(f"there are {len(stages)} stages, colours for {len(STEPS) - 1}")
    scale: list[list[Any]] = []
    for number, color in enumerate(STEPS):
        scale += [[number / len(STEPS), color], [(number + 1) / len(STEPS), color]]
    numbers = kept.size <= MOST_WITH_NUMBERS
    trace = {
        "type": "heatmap",
        "z": kept.astype(np.int8),
        "zmin": -0.5,
        "zmax": len(STEPS) - 0.5,
        "colorscale": scale,
        "xgap": 1,
        "ygap": 1,
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "tickmode": "array",
            "tickvals": list(range(len(STEPS))),
            "ticktext": ["never", *stages],
        },
        "text": [[str(stage or "") for stage in row] for row in kept] if numbers else None,
        "texttemplate": "%{text}" if numbers else None,
        "hovertemplate": "A: %{y}<br>B: %{x}<br>equal for %{z} of 4 stages<extra></extra>",
    }
    figure = go.Figure({"data": [trace]})
    figure.update_xaxes(**_ticks(second), range=[-0.5, len(second) - 0.5])
    figure.update_yaxes(**_ticks(first), range=[len(first) - 0.5, -0.5])
    return compact(figure, int(np.clip(30 * len(first) + 110, 200, 620)))


def _ticks(tokens: Sequence[str]) -> dict[str, Any]:
    names, places = numbered(tokens), thinned(len(tokens), 40)
    return {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [names[i] for i in places],
        "showgrid": False,
        "zeroline": False,
    }
