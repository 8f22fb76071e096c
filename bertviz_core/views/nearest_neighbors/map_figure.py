"""The map of the token table: all points as one picture, and what searches highlight on it.

The picture needs no WebGL, and every point has its name all the same: an invisible heatmap lies
over it, each cell of which names the tokens that lie there. The map stays as it is: what is
highlighted, a few traces and words, is put on it by the browser.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids
from bertviz_core.checkpoints.vocabulary import KIND_NAMES
from bertviz_core.figures.colors import MENU, SENTENCE_COLORS
from bertviz_core.figures.drawing import Figure, Trace, draw, label, marks
from bertviz_core.figures.points import OF_KINDS, Span, ends_around, map_axes, points_png
from bertviz_core.neighbors import Neighbors

SIDE, BOTTOM = 470, 76  # pixels below the menu: of the points, and of a legend of three rows
SHARP = 400  # pixels of the screen for which the picture is drawn; larger is slower to send
CELLS = 100  # a side that can be pointed at; each text takes the server and the browser time
MAX_NAMED = 5  # tokens of a cell
MAX_WORDS = 6  # of a query, or of its neighbors, that are printed
MAX_LETTERS = 16  # of a word
_CLEAR = "rgba(0, 0, 0, 0)"


@dataclass(frozen=True, eq=False)
class Cloud:
    """What takes longest to make of a map, for a page to keep."""

    png: str
    names: list[list[str]]  # a list of the tokens in each cell, by row from below; "" for none
    kinds: NDArray[np.int8]  # of each point, as indices of `KIND_NAMES`
    across: Span  # the values of x at the left and at the right edge
    up: Span


def cloud_of(points: Array, tokens: Sequence[str], kinds: NDArray[np.int8]) -> Cloud:
    """Draw all points (n, 2) by their kinds (n,), and write down which tokens lie where."""
    across, up = ends_around(points, square=True)
    png = points_png(points, kinds, OF_KINDS, across=across, up=up, side=SHARP)
    corner, side = np.array([across[0], up[0]]), across[1] - across[0]
    columns, lines = ((points - corner) / side * CELLS).astype(np.int64).T
    return Cloud(png, _names(lines, columns, tokens), kinds, across, up)


def map_figure(cloud: Cloud) -> Figure:
    """Draw all points, with names to be pointed at; `highlights` come on top."""
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
    return draw(
        [names, *_key(cloud)],
        height=MENU + SIDE + BOTTOM,
        margin={"l": 2, "r": 2, "t": MENU, "b": BOTTOM, "pad": 0},
        legend={
            **{"y": -6 / SIDE, "itemsizing": "constant"},
            **{"itemclick": False, "itemdoubleclick": False},  # the picture would not follow
        },
        # Not an image *trace*: on a rising axis it is turned by CSS, which programs that open a
        # saved SVG often ignore (seen with plotly.js 4.1).
        images=[
            {
                "source": cloud.png,
                "xref": "x",
                "yref": "y",
                "x": left,
                "y": high,
                "sizex": right - left,
                "sizey": high - low,
                "sizing": "stretch",
                "layer": "below",
            }
        ],
        **map_axes((cloud.across, cloud.up)),
    )


def _names(lines: Ids, columns: Ids, tokens: Sequence[str]) -> list[list[str]]:
    """What the pointer shows in each cell: the tokens there, the lowest id first."""
    ids_of: dict[tuple[int, int], list[int]] = {}
    for token_id, cell in enumerate(zip(lines.tolist(), columns.tolist(), strict=True)):
        ids_of.setdefault(cell, []).append(token_id)
    names = [[""] * CELLS for _ in range(CELLS)]
    for (line, column), ids in ids_of.items():
        more = f" and {len(ids) - MAX_NAMED} more" if len(ids) > MAX_NAMED else ""
        names[line][column] = ", ".join(label(tokens[i]) for i in ids[:MAX_NAMED]) + more
    return names


def _key(cloud: Cloud) -> list[Trace]:
    """Traces without a point, for a legend of the kinds that there are."""
    nothing = {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "hoverinfo": "skip"}
    return [
        nothing
        | {
            "name": KIND_NAMES[kind],
            "marker": {"color": OF_KINDS[kind].color, "symbol": OF_KINDS[kind].symbol},
        }
        for kind in np.flatnonzero(np.bincount(cloud.kinds)).tolist()
    ]


def highlights(points: Array, tokens: Sequence[str], searches: Iterable[Neighbors]) -> list[Trace]:
    """Traces for a map: the lines and the points of each search, in a colour of its own."""
    traces = []
    for search, color in zip(searches, cycle(SENTENCE_COLORS[1:]), strict=False):
        of_query, nearest = search.own_ids.tolist(), search.token_ids.tolist()
        is_token = len(of_query) == 1
        starts = of_query if is_token else []
        ends = [points[[start, end]].tolist() for start in starts for end in nearest]
        lines = {
            "type": "scatter",
            "mode": "lines",
            "x": [x for (x0, _), (x1, _) in ends for x in (x0, x1, None)],
            "y": [y for (_, y0), (_, y1) in ends for y in (y0, y1, None)],
            "line": {"color": color, "width": 1.2},
            "hoverinfo": "skip",
            "showlegend": False,
        }
        rows = [*nearest, *of_query]
        x, y = points[rows].T.tolist()
        printed = {*of_query[:MAX_WORDS], *([] if is_token else nearest[:1])}
        sizes = [8] * len(nearest) + [12] * len(of_query)
        pointed = marks(
            x,
            y,
            {"color": color, "size": sizes, "line": {"color": "#FFFFFF", "width": 1}},
            "%{hovertext}",
            mode="markers+text",
            text=[label(tokens[row], MAX_LETTERS) if row in printed else "" for row in rows],
            textposition="top center",
            textfont={"shadow": "auto"},
            hovertext=[f"{label(tokens[row])} ({row})" for row in rows],
            showlegend=False,
        )
        traces += [lines, pointed]
    return traces
