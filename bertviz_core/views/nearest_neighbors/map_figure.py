"""The map of the token table: all points as one picture, and what is highlighted on it.

The picture needs no WebGL, and every point has its name all the same: an invisible heatmap lies
over it, each cell of which names the tokens that lie there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.colors import sample_colorscale, unlabel_rgb

from bertviz_core.arrays import Array, Ids
from bertviz_core.figures.axes import label
from bertviz_core.figures.colors import SENTENCES, SIMILARITY, faint
from bertviz_core.figures.drawing import Figure, Trace, draw
from bertviz_core.figures.points import (
    OF_KINDS,
    Look,
    Span,
    cells_of,
    image,
    points_png,
    ruled,
    spread_out,
)
from bertviz_core.figures.template import DARK, LARGER, LETTERS, LIGHT

HEIGHT = 410  # pixels
AROUND = 120  # of them, about, are not between the axes
# Between a wide screen's shape and a phone's, as the picture is stretched to either.
SIZE = (800, 320)
CELLS = (144, 72)  # that can be pointed at; each text takes the server and the browser time
NAMED = 8  # tokens of a cell
OPACITY = 0.6  # of a point
LANDMARKS = (5, 8)  # columns and rows, each with one token by name
LEVELS = 24  # colours of a scale
_CLEAR = "rgba(0, 0, 0, 0)"
LINE = 16  # pixels a label is high
DOT, OWN_DOT = 2, 3  # how large the dots are, in arrowheads of Plotly's
WIDE = 0.24  # share of the map's width that no two labels of one height share


@dataclass(frozen=True, eq=False)
class Colors:
    """What the colours of a map mean: kinds with names, or steps of a scale."""

    groups: NDArray[np.integer[Any]]  # index in `looks` of each point
    looks: Sequence[Look]
    names: Sequence[str] = ()  # of the groups, for the legend
    scale: tuple[str, float, float] | None = None  # its title, lowest and highest value


@dataclass(frozen=True, eq=False)
class Cloud:
    """What takes longest to make of a map, for a page to keep."""

    png: str
    names: list[list[str]]  # the tokens in each cell, by row from below; "" for none
    landmarks: Ids  # rows of the table that are named on the map
    across: Span  # the values of x at the left and at the right edge
    up: Span


def by_kind(kinds: NDArray[np.int8], names: Sequence[str]) -> Colors:
    """Colours by the kind of a token: index in `names`, at most eight, of each."""
    looks = [replace(look, opacity=OPACITY) for look in OF_KINDS]
    counts = np.bincount(kinds, minlength=len(names)).tolist()
    named = [f"{name} ({count:,})" for name, count in zip(names, counts, strict=True)]
    return Colors(kinds, looks, named)


def by_number(values: NDArray[np.number[Any]], title: str) -> Colors:
    """Colours from low to high; a hundredth of the values lies beyond either end of the scale."""
    low, high = np.quantile(values, (0.01, 0.99)).tolist()
    steps = (values.astype(np.float64) - low) / ((high - low) or 1.0) * LEVELS
    stops = sample_colorscale(SIMILARITY, LEVELS)
    looks = [
        Look("#{:02X}{:02X}{:02X}".format(*map(int, unlabel_rgb(stop))), opacity=OPACITY)
        for stop in stops
    ]
    return Colors(steps.astype(np.int64).clip(0, LEVELS - 1), looks, scale=(title, low, high))


def cloud(points: Array, tokens: Sequence[str], colors: Colors, named: NDArray[np.bool_]) -> Cloud:
    """Draw all points (n, 2), and write down which tokens lie where.

    `named` says which tokens may be landmarks: of each part of the map the first one.
    """
    x, y = points.T
    across, up = _span(x), _span(y)
    png = points_png(x, y, colors.groups, colors.looks, across=across, up=up, size=SIZE)
    cells = cells_of(x, y, across=across, up=up, cells=CELLS)
    names = _names(cells, tokens)
    rows = [names[start : start + CELLS[0]] for start in range(0, len(names), CELLS[0])]
    return Cloud(png, rows, _landmarks(x, y, named, across, up), across, up)


def map_figure(cloud: Cloud, colors: Colors, titles: tuple[str, str]) -> Figure:
    """Draw a picture of all points, and a heatmap that cannot be seen and names them.

    Points can be chosen by box or lasso: the page gets what is drawn, not what is in it. Letters
    come with `highlight.highlights`: as points of the chart they would fade when something is
    chosen.
    """
    (left, right), (low, high) = cloud.across, cloud.up
    columns, rows = CELLS
    names = {
        "type": "heatmap",
        "z": np.zeros((rows, columns), dtype=np.int8),
        "x0": left + (right - left) / columns / 2,
        "dx": (right - left) / columns,
        "y0": low + (high - low) / rows / 2,
        "dy": (high - low) / rows,
        "text": cloud.names,
        "hoverinfo": "text",
        "colorscale": [[0, _CLEAR], [1, _CLEAR]],
        "showscale": False,
    }
    return draw(
        [names, *_key(colors)],
        height=HEIGHT,
        # Close below the title of the axis, which has no numbers.
        legend={
            **{"y": -36 / (HEIGHT - AROUND), "itemsizing": "constant"},
            **{"itemclick": False, "itemdoubleclick": False},  # the picture would not follow
        },
        images=[image(cloud.png, across=cloud.across, up=cloud.up)],
        xaxis=ruled(titles[0], cloud.across, showticklabels=False),
        yaxis=ruled(titles[1], cloud.up, showticklabels=False),
    )


def _span(values: Array) -> Span:
    """From the lowest to the highest value, and a little more at each end."""
    low, high = float(values.min()), float(values.max())
    beside = (high - low) / 40 or 1e-6
    return low - beside, high + beside


def _names(cells: Ids, tokens: Sequence[str]) -> list[str]:
    """What the pointer shows in each cell: the tokens there with their ids, the lowest first."""
    names = [""] * (CELLS[0] * CELLS[1])
    order = np.argsort(cells, kind="stable")
    starts = np.flatnonzero(np.diff(cells[order], prepend=-2))
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        rows = order[start:end].tolist()
        lines = [f"{label(tokens[row])} ({row})" for row in rows[:NAMED]]
        if len(rows) > NAMED:
            lines.append(f"and {len(rows) - NAMED} more")
        names[cells[rows[0]]] = "<br>".join(lines)
    return names


def _landmarks(x: Array, y: Array, named: NDArray[np.bool_], across: Span, up: Span) -> Ids:
    """Of each part of the map the first token that may be named, near the middle of the part."""
    middle = named.copy()
    for values, (low, high), parts in ((x, across, LANDMARKS[0]), (y, up, LANDMARKS[1])):
        share = (values - low) / (high - low) * parts % 1
        middle &= (share > 0.25) & (share < 0.75)  # so that two names do not meet
    rows = np.flatnonzero(middle)[::-1]
    return rows[spread_out(x[rows], y[rows], across=across, up=up, cells=LANDMARKS)]


def _key(colors: Colors) -> list[Trace]:
    """Traces without a point, for a legend or for a bar of colours."""
    nothing = {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "hoverinfo": "skip"}
    if colors.scale is None:
        return [
            nothing | {"name": name, "marker": colors.looks[group].marker}
            for group, name in enumerate(colors.names)
            if (colors.groups == group).any()
        ]
    title, low, high = colors.scale
    bar = {"color": [low], "cmin": low, "cmax": high, "colorscale": SIMILARITY, "showscale": True}
    return [
        nothing | {"showlegend": False, "marker": bar | {"colorbar": {"title": {"text": title}}}}
    ]


def highlights(
    points: Array,
    tokens: Sequence[str],
    searches: Sequence[tuple[Sequence[int], Sequence[int]]],
    cloud: Cloud,
    *,
    dark: bool,
    large: bool = False,
) -> tuple[list[Trace], list[Trace]]:
    """Highlight searches on a map: dots, labels, and lines from a token to its neighbours.

    Each search has the rows that make up its query, and those of its neighbours. A query of one row
    has lines; a sum of several has no point on the map. Returned are the shapes and annotations of
    a figure; the first annotations are the landmarks of the map.
    """
    times = LARGER if large else 1
    shapes: list[Trace] = []
    labels: list[Trace] = []
    ground = faint((DARK if dark else LIGHT)["ground"], 0.8)
    line = LINE / (HEIGHT - AROUND) * (cloud.up[1] - cloud.up[0])
    font = {"size": round(LETTERS * times)}
    taken: list[tuple[float, float]] = []
    for number, (own, neighbors) in enumerate(searches):
        color = SENTENCES[1:][number % (len(SENTENCES) - 1)]
        starts = [own[0]] if len(own) == 1 else []
        shapes += [_line(points, start, end, color) for start in starts for end in neighbors]
        for row in (*own, *neighbors):
            name = label(tokens[row], 16)
            text = f"<b>{name}</b>" if row in own else name
            look = {"arrowcolor": color, "arrowsize": OWN_DOT if row in own else DOT}
            look |= {"text": text, "bgcolor": ground, "font": font}
            labels.append(_callout(points[row], cloud, line, taken) | look)
    wide = WIDE * (cloud.across[1] - cloud.across[0])
    landmarks = [
        _landmark(points[row], tokens[row], times)
        for row in cloud.landmarks.tolist()
        if not _crowded(points[row, 0].item(), points[row, 1].item(), taken, line, wide)
    ]
    return shapes, [*landmarks, *labels]


def _landmark(point: Array, token: str, times: float) -> Trace:
    x, y = point.tolist()
    font = {"size": round(LETTERS * times), "shadow": "auto"}  # to be read on a crowd of points
    return {"x": x, "y": y, "text": label(token, 16), "showarrow": False, "font": font}


def _line(points: Array, start: int, end: int, color: str) -> Trace:
    (x0, y0), (x1, y1) = points[start].tolist(), points[end].tolist()
    line = {"color": color, "width": 1.2}
    return {"type": "line", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "line": line}


def _callout(point: Array, cloud: Cloud, line: float, taken: list[tuple[float, float]]) -> Trace:
    """A dot, and its label beside it, or, where there are others, above or below, with a line.

    The dot is the head of an annotation's arrow. As a shape whose size is in pixels it would make
    Plotly give what is chosen by box or lasso in pixels too (seen with Streamlit 1.67).

    How wide a label is on the screen is not known here; its height is. So labels that are near
    each other are on lines of their own. `taken` gets the new one.
    """
    x, y = point.tolist()
    (left, right), (low, high) = cloud.across, cloud.up
    wide = WIDE * (right - left)
    to_right = x < left + 0.7 * (right - left)
    at = x + (0.02 if to_right else -0.02) * (right - left)
    heights = (y + step * line for number in range(len(taken) + 2) for step in (number, -number))
    free = (
        height
        for height in heights
        if low < height < high and not _crowded(at, height, taken, line, wide)
    )
    height = next(free, y)
    taken.append((at, height))
    return {
        **{"x": x, "y": y, "xref": "x", "yref": "y", "axref": "x", "ayref": "y"},
        **{"ax": at, "ay": height, "xanchor": "left" if to_right else "right"},
        **{"showarrow": True, "arrowhead": 6, "arrowwidth": 1.2},
        "borderpad": 0,
    }


def _crowded(
    x: float, y: float, taken: list[tuple[float, float]], line: float, wide: float
) -> bool:
    """Whether a label there could meet one that is there already."""
    return any(abs(y - y1) < 0.99 * line and abs(x - x1) < wide for x1, y1 in taken)
