"""What searches highlight on the map of the token table: the whole map, or what is around one.

The map itself stays as it is: these few traces and words are put on it by the browser.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import label, width_of
from bertviz_core.figures.colors import SENTENCES, faint
from bertviz_core.figures.drawing import Trace, buttons, marks
from bertviz_core.figures.points import ABOVE, Span, uncrowded
from bertviz_core.figures.template import DARK, LARGER, LETTERS, LIGHT
from bertviz_core.neighbors.token_map import NEAR, nearest_on_map
from bertviz_core.views.nearest_neighbors.map_figure import LOOKS, Cloud, key_traces

SIDE = 350  # pixels of the map on a phone
LINE = 17  # pixels a word is high
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
        "bgcolor": faint((DARK if dark else LIGHT)["ground"], 0.92),
    }

    def button(text: str, chosen: int | None, ends: tuple[Span, Span]) -> Trace:
        ranked = searches if chosen is None else [searches[chosen], *searches]
        words = _words(points, tokens, ranked, ends, named=chosen is not None, large=large)
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
        if chosen is not None:  # its colour is that of its points, as in a legend
            text = f'<span style="color:{_color(chosen)}">●</span> {text}'
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
    """The words of queries, or of all that was found, as far as their points are apart."""
    own = {row: None for found in searches for row in (found.middle, *found.own[:OWN])}
    others = [row for found in searches for row in found.neighbors if named]
    rows = [row for row in dict.fromkeys([*own, *others]) if _inside(points[row], ends)]
    texts = [label(tokens[row], LONGEST) for row in rows]
    corner = np.array([low for low, _ in ends])
    pixels = (points[rows] - corner) * SIDE / (ends[0][1] - ends[0][0])
    times = LARGER if large else 1
    widths = [times * (width_of([text]) - 6) for text in texts]
    return [
        {
            "text": f"<b>{texts[number]}</b>" if rows[number] in own else texts[number],
            **dict(zip("xy", points[rows[number]].tolist(), strict=True)),
            **{"yanchor": "bottom" if side > 0 else "top", "yshift": side * ABOVE},
            "borderpad": 0,
        }
        for number, side in uncrowded(pixels, widths, times * LINE, SIDE).items()
    ]


def _frame(window: tuple[Span, Span], color: str) -> Trace:
    (x0, x1), (y0, y1) = window
    line = {"color": color, "width": 2}
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": line}


def _inside(points: Array, window: tuple[Span, Span]) -> Any:
    (left, right), (low, high) = window
    x, y = points[..., 0], points[..., 1]
    return (left < x) & (x < right) & (low < y) & (y < high)
