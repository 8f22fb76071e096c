"""The map of the token table: all points as one picture, and what is highlighted on it.

The picture needs no WebGL, and every point has its name all the same: an invisible heatmap lies
over it, each cell of which names the tokens that lie there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids
from bertviz_core.checkpoints.vocabulary import KIND_NAMES
from bertviz_core.figures.axes import label
from bertviz_core.figures.drawing import Figure, Trace, draw
from bertviz_core.figures.points import (
    OF_KINDS,
    Span,
    cells_of,
    image,
    points_png,
    ruled,
)

ABOVE, SIDE, BELOW = 38, 470, 60  # pixels of the height: of the buttons, the points, the legend
SHARP = 400  # pixels of the screen for which the picture is drawn; larger is slower to send
CELLS = 100  # a side that can be pointed at; each text takes the server and the browser time
NAMED = 5  # tokens of a cell
SIZE, OPACITY = 2.4, 0.6  # of a point: pixels across
LOOKS = [replace(look, size=look.size * SIZE / 3, opacity=OPACITY) for look in OF_KINDS]
_CLEAR = "rgba(0, 0, 0, 0)"


class Constant(list[list[str]]):
    """Texts that all figures share: Plotly copies what it is given, one by one."""

    def __deepcopy__(self, memo: object) -> Self:
        return self


@dataclass(frozen=True, eq=False)
class Cloud:
    """What takes longest to make of a map, for a page to keep."""

    png: str
    names: "Constant"  # a list of the tokens in each cell, by row from below; "" for none
    kinds: NDArray[np.int8]  # of each point, as indices of `KIND_NAMES`
    across: Span  # the values of x at the left and at the right edge
    up: Span


def cloud(points: Array, tokens: Sequence[str], kinds: NDArray[np.int8]) -> Cloud:
    """Draw all points (n, 2) by their kinds (n,), and write down which tokens lie where."""
    x, y = points.T
    across, up = _square(points)
    png = points_png(x, y, kinds, LOOKS, across=across, up=up, size=(SHARP, SHARP))
    cells = cells_of(x, y, across=across, up=up, cells=(CELLS, CELLS))
    names = _names(cells, tokens)
    rows = Constant(names[start : start + CELLS] for start in range(0, len(names), CELLS))
    return Cloud(png, rows, kinds, across, up)


def map_figure(cloud: Cloud) -> Figure:
    """Draw all points, with names to be pointed at; `map_search.highlights` come on top."""
    (left, right), (low, high) = cloud.across, cloud.up
    names = {
        "type": "heatmap",
        "z": np.zeros((CELLS, CELLS), dtype=np.int8),
        "x0": left + (right - left) / CELLS / 2,
        "dx": (right - left) / CELLS,
        "y0": low + (high - low) / CELLS / 2,
        "dy": (high - low) / CELLS,
        "text": cloud.names,
        "hoverinfo": "text",
        "colorscale": [[0, _CLEAR], [1, _CLEAR]],
        "showscale": False,
    }
    around = {"showticklabels": False, "automargin": False, "mirror": True, "constrain": "range"}
    return draw(
        [names, *key_traces(cloud)],
        height=ABOVE + SIDE + BELOW,
        margin={"l": 2, "r": 2, "t": ABOVE, "b": BELOW, "pad": 0},
        modebar={"orientation": "v", "remove": ["lasso2d"]},  # beside the buttons, not on them
        legend={
            **{"y": -6 / SIDE, "itemsizing": "constant"},
            **{"itemclick": False, "itemdoubleclick": False},  # the picture would not follow
        },
        images=[image(cloud.png, across=cloud.across, up=cloud.up)],
        xaxis=ruled("", cloud.across, **around),
        yaxis=ruled("", cloud.up, scaleanchor="x", **around),
    )


def _square(points: Array) -> tuple[Span, Span]:
    """The ends of both axes of a square around all points, with a little more at each end."""
    low, high = points.min(axis=0).astype(np.float64), points.max(axis=0).astype(np.float64)
    reach = 0.525 * float((high - low).max()) or 1e-6
    across, up = ((middle - reach, middle + reach) for middle in ((low + high) / 2).tolist())
    return across, up


def _names(cells: Ids, tokens: Sequence[str]) -> list[str]:
    """What the pointer shows in each cell: the tokens there, the lowest id first."""
    names = [""] * CELLS**2
    order = np.argsort(cells, kind="stable")
    starts = np.flatnonzero(np.diff(cells[order], prepend=-2))
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        rows = order[start:end].tolist()
        more = f" and {len(rows) - NAMED} more" * (len(rows) > NAMED)
        names[cells[rows[0]]] = ", ".join(label(tokens[row]) for row in rows[:NAMED]) + more
    return names


def key_traces(cloud: Cloud) -> list[Trace]:
    """Traces without a point, for a legend of the kinds that there are."""
    nothing = {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "hoverinfo": "skip"}
    return [
        nothing | {"name": KIND_NAMES[kind], "marker": LOOKS[kind].marker}
        for kind in np.flatnonzero(np.bincount(cloud.kinds)).tolist()
    ]
