"""What searches highlight on the map of the token table: the whole map, or what is around one.

The map itself stays as it is: these few traces and words are put on it by the browser.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import label, width_of
from bertviz_core.figures.colors import MUTED, SENTENCES, faint
from bertviz_core.figures.drawing import Trace, buttons, marks
from bertviz_core.figures.points import Room, Span
from bertviz_core.figures.template import DARK, LARGER, LETTERS, LIGHT
from bertviz_core.neighbors.token_map import NEAR, nearest_on_map
from bertviz_core.views.nearest_neighbors.map_figure import LOOKS, Cloud, key_traces

SIDE = 350  # pixels of the map on a phone, for which words are placed
LINE = 17  # pixels a word is high
BESIDE = 40  # pixels: a word that is not highlighted is printed at most so far from its point
NAMED = 60  # points closest to the middle of a search that get a word, as far as there is room
OWN = 8  # words of a query that are printed
LONGEST = 16  # characters of a word


@dataclass(frozen=True)
class Found:
    """What a search found, as rows of the token table."""

    own: Sequence[int]  # what makes up the query
    neighbors: Sequence[int]

    @property
    def middle(self) -> int:
        """The row that its part of the map lies around: of a sum, the first answer."""
        return self.own[0] if len(self.own) == 1 or not self.neighbors else self.neighbors[0]


def highlights(
    points: Array,
    tokens: Sequence[str],
    searches: Sequence[Found],
    cloud: Cloud,
    *,
    dark: bool,
    large: bool = False,
) -> Trace:
    """Traces for a map (`data`), and what changes of its layout, with a button for each search."""
    first = 1 + len(key_traces(cloud))  # behind the traces of the map itself
    windows = [_window(points, found) for found in searches]
    around = [_around(points, tokens, window, cloud) for window in windows]
    found = [
        trace
        for number, one in enumerate(searches)
        for trace in _found(points, tokens, one, _color(number))
    ]
    traces = [*around, *found]
    look = {
        "font": {"size": round(LETTERS * (LARGER if large else 1))},
        "bgcolor": faint((DARK if dark else LIGHT)["ground"], 0.8),
    }

    def button(text: str, chosen: int | None, ends: tuple[Span, Span]) -> Trace:
        words = _words(points, tokens, searches, ends, named=chosen is not None, large=large)
        changes = {
            "xaxis.range": list(ends[0]),
            "yaxis.range": list(ends[1]),
            "images[0].visible": chosen is None,
            "annotations": [look | word for word in words],
            "shapes": [
                _frame(window, _color(number))
                for number, window in enumerate(windows)
                if chosen is None
            ],
        }
        seen = [number == chosen for number in range(len(around))] + [True] * len(found)
        numbers = [first + number for number in range(len(traces))]
        return {"label": text, "method": "update", "args": [{"visible": seen}, changes, numbers]}

    each = [button("Whole map", None, (cloud.across, cloud.up))]
    for number, (one, window) in enumerate(zip(searches, windows, strict=True)):
        each.append(button(label(tokens[one.middle], 12), number, window))
    menu = buttons(each, visible=len(each) > 1)
    return {"data": traces, "layout": {"updatemenus": [menu]}}


def _color(number: int) -> str:
    return SENTENCES[1:][number % (len(SENTENCES) - 1)]


def _window(points: Array, found: Found) -> tuple[Span, Span]:
    """The square that holds the points which count as near to the middle of a search."""
    near = nearest_on_map(points, found.middle, NEAR)
    x, y = points[found.middle].tolist()
    reach = 1.05 * float(np.hypot(*(points[near] - (x, y)).T).max(initial=0)) or 1e-4
    return (x - reach, x + reach), (y - reach, y + reach)


def _around(points: Array, tokens: Sequence[str], window: tuple[Span, Span], cloud: Cloud) -> Trace:
    """The points of a part of the map, one by one: the picture of all would be coarse there."""
    rows = np.flatnonzero(_inside(points, window))
    looks = [LOOKS[kind] for kind in cloud.kinds[rows].tolist()]
    marker = {
        "color": [look.color for look in looks],
        "symbol": [look.symbol for look in looks],
        "size": 6,
    }
    return _pointed(points, tokens, rows.tolist(), marker)


def _found(points: Array, tokens: Sequence[str], found: Found, color: str) -> list[Trace]:
    """The lines and the points of a search."""
    starts = found.own if len(found.own) == 1 else []
    ends = [points[[start, end]].tolist() for start in starts for end in found.neighbors]
    lines = {
        "type": "scatter",
        "mode": "lines",
        "x": [x for (x0, _), (x1, _) in ends for x in (x0, x1, None)],
        "y": [y for (_, y0), (_, y1) in ends for y in (y0, y1, None)],
        "line": {"color": color, "width": 1.2},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    outline = {"color": "#FFFFFF", "width": 1}
    rows = [*found.neighbors, *found.own]
    sizes = [8] * len(found.neighbors) + [12] * len(found.own)
    return [
        lines,
        _pointed(points, tokens, rows, {"color": color, "size": sizes, "line": outline}),
    ]


def _pointed(points: Array, tokens: Sequence[str], rows: Sequence[int], marker: Trace) -> Trace:
    x, y = points[list(rows)].T.tolist()
    text = [f"{label(tokens[row])} ({row})" for row in rows]
    return marks(x, y, marker, "%{text}", text=text, showlegend=False) | {
        "unselected": {"marker": {"opacity": 1}}
    }


def _words(
    points: Array,
    tokens: Sequence[str],
    searches: Sequence[Found],
    ends: tuple[Span, Span],
    *,
    named: bool,
    large: bool,
) -> list[Trace]:
    """Words beside their points, never on one: of the queries, or of all points in a window."""
    pixel = (ends[0][1] - ends[0][0]) / SIDE
    room = Room(points, *ends, pixel)
    inside = _inside(points, ends)
    times = LARGER if large else 1
    words: dict[int, Trace] = {}

    def add(row: int, reach: float, *, bold: bool = False, **look: Any) -> None:
        if row in words or not inside[row]:
            return
        text = label(tokens[row], LONGEST)
        size = times * (width_of([text]) - 6), times * LINE
        place = room.place(points[row].tolist(), *size, reach)
        if place is not None:
            words[row] = _word(points[row], place, f"<b>{text}</b>" if bold else text) | look

    for number, found in enumerate(searches):
        first = (*found.own[:OWN], found.middle)
        for row in (*first, *found.neighbors) if named else first:
            add(row, np.inf, bold=row in first, arrowcolor=_color(number))
    if named:
        middle = [(low + high) / 2 for low, high in ends]
        others = np.flatnonzero(inside)
        for row in others[np.argsort(np.hypot(*(points[others] - middle).T))][:NAMED].tolist():
            add(row, BESIDE, opacity=0.75, arrowcolor=MUTED)
    return list(words.values())


def _word(point: Array, place: tuple[float, float], text: str) -> Trace:
    """An annotation with a line to its point."""
    x, y = point.tolist()
    return {
        **{"text": text, "x": x, "y": y, "ax": place[0], "ay": place[1]},
        **{"xref": "x", "yref": "y", "axref": "x", "ayref": "y"},
        **{"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "standoff": 3, "borderpad": 0},
    }


def _frame(window: tuple[Span, Span], color: str) -> Trace:
    (x0, x1), (y0, y1) = window
    line = {"color": color, "width": 2}
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": line}


def _inside(points: Array, window: tuple[Span, Span]) -> Any:
    (left, right), (low, high) = window
    x, y = points.T
    return (left < x) & (x < right) & (low < y) & (y < high)
