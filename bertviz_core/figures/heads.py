"""One number for each head of each layer."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact
from bertviz_core.figures.axes import titled
from bertviz_core.figures.colors import MUTED, SIMILARITY, faint
from bertviz_core.figures.drawing import Figure, Trace, draw, heatmap

LEAST_LIMIT = 1e-3  # below it a scale would only show rounding


def head_map(
    values: Array | Exact,
    name: str,
    *,
    shown: NDArray[np.bool_] | None = None,
    shapes: Sequence[Trace] = (),
) -> Figure:
    """Draw (layers, heads) from 0 up; cells that are not `shown` are grey, with their number."""
    layers, heads = values.shape
    grey = np.zeros(values.shape, bool) if shown is None else ~shown
    grid = {"x": np.arange(1, heads + 1), "y": np.arange(1, layers + 1), "xgap": 1, "ygap": 1}
    hover = f"layer %{{y}}, head %{{x}}<br>{name} %{{z:.3f}}"
    colored = np.where(grey, np.nan, values).astype(np.float32)
    limits = (0.0, max(float(values.max()), LEAST_LIMIT))
    cells = [heatmap(colored, hover, SIMILARITY, limits, hoverongaps=False, **grid)]
    if grey.any():
        plain = faint(MUTED, 0.35)
        rest = np.where(grey, values, np.nan).astype(np.float32)
        cells.append(
            heatmap(
                rest, hover, [[0, plain], [1, plain]], showscale=False, hoverongaps=False, **grid
            )
        )
    return draw(
        cells,
        height=24 * layers + 130,
        shapes=list(shapes),
        xaxis=titled("head", dtick=1, showgrid=False),
        yaxis=titled("layer", dtick=1, showgrid=False),
    )
