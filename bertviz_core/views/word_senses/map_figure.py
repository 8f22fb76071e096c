"""Occurrences of a word as points on a plane, which may move through the layers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids
from bertviz_core.figures.colors import LETTERS, MARK, MUTED, SENTENCE_COLORS, SMOOTH, faint
from bertviz_core.figures.drawing import Figure, Trace, draw, label, marks
from bertviz_core.figures.paths import MENU, layer_frames, play_menu
from bertviz_core.figures.points import ends_around, map_axes

MAX_SERIES = 12
MAX_PLAYED = 500  # points; of more, the browser draws too few pictures a second
FEW = 200  # points that can be large, with an outline
OTHERS = "others"
LINES = SMOOTH  # no series has it
PLOT, AXIS = 384, 40  # pixels of the height: of the points, and of what is below them
RING = 10  # pixels around the chosen point
ROW, MAX_ROWS = 20, 4  # pixels of a row of the legend; how many are seen without scrolling
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star")
SIGNS = dict(zip(_SYMBOLS, "●◆■▲✚★", strict=True))  # the same in a line of text
_OF_OTHERS = (MUTED, _SYMBOLS[0])
# The layer in view, in the corner of a map that plays; a selection does not touch it.
LAYER = {
    "type": "scatter",
    "mode": "text",
    "textfont": {"size": LETTERS + 3, "shadow": "auto"},
    "textposition": "bottom right",
    "hoverinfo": "skip",
    "showlegend": False,
    "unselected": {"textfont": {"color": MUTED}},
}


def map_figure(
    points: Array,
    place: int,
    series: Sequence[str],
    texts: Sequence[str],
    *,
    axes: tuple[str, str],
    numbers: Sequence[int],
) -> Figure:
    """Draw each occurrence as a point with its text; few of them play through the layers.

    `points` are (n, layers, 2), `numbers` the numbers of these layers; that at `place` is in view.
    """
    looks = series_marks(series)
    colored = [name for name, look in looks.items() if look != _OF_OTHERS]
    drawn_as = np.array([name if name in colored else OTHERS for name in series], dtype=object)
    if len(colored) < len(looks):
        colored.append(OTHERS)
        looks |= {OTHERS: _OF_OTHERS}
    rows_of = {name: np.flatnonzero(drawn_as == name) for name in colored}
    ends = ends_around(points.reshape(-1, 2))

    def at(place: int) -> list[Trace]:
        """Where the points of each trace are, which is all that a layer changes."""
        return [
            {"type": "scatter", "x": points[rows, place, 0], "y": points[rows, place, 1]}
            for rows in rows_of.values()
        ]

    traces = [
        _points(rows, texts, name, looks[name], few=len(points) <= FEW) | xy
        for (name, rows), xy in zip(rows_of.items(), at(place), strict=True)
    ]
    plays: dict[str, Any] = {}
    if len(numbers) > 1 and len(points) <= MAX_PLAYED:
        (left, right), (_, top) = ends
        corner = {"type": "scatter", "x": [left + (right - left) / 100], "y": [top]}
        names = [corner | {"text": [f"layer {number}"]} for number in numbers]
        traces.append(LAYER | names[place])
        frames = [[*at(number), name] for number, name in enumerate(names)]
        plays = {
            "frames": layer_frames(frames),
            "updatemenus": [play_menu(len(numbers), place)],
        }
    legend = ROW // 2 + ROW * min(-(-len(colored) // 2), MAX_ROWS)
    return draw(
        traces,
        height=MENU + PLOT + AXIS,  # the legend takes of the points: the map stays on its screen
        # With room that Plotly measures, 2,000 points take 1.9 times as long.
        margin={"l": 40, "r": 12, "t": MENU, "b": AXIS + legend, "autoexpand": False, "pad": 0},
        legend={"yref": "container", "y": 0, "yanchor": "bottom", "itemsizing": "constant"}
        | {"maxheight": legend},
        dragmode="pan",  # Streamlit lets a click select only while dragging does not
        **map_axes(ends, axes),
        **plays,
    )


def series_marks(series: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The colour and the symbol of each series, by its name; beyond the 12 largest all are grey."""
    names, sizes = np.unique(np.array(series, dtype=object), return_counts=True)
    order = names[np.argsort(-sizes, kind="stable")].tolist()
    looks = {
        name: (
            SENTENCE_COLORS[number % len(SENTENCE_COLORS)],
            _SYMBOLS[(number + number // len(SENTENCE_COLORS)) % len(_SYMBOLS)],
        )
        for number, name in enumerate(sorted(order[:MAX_SERIES]))
    }
    return looks | dict.fromkeys(order[MAX_SERIES:], _OF_OTHERS)


def lines_to(
    points: Array, start: int, ends: Sequence[int], close: NDArray[np.bool]
) -> list[Trace]:
    """Thin lines from one point of a map to others, dotted to those not `close`, and its ring."""
    x, y = points[start].tolist()
    styles = {
        True: {"color": LINES, "width": 1.5},
        False: {"color": MUTED, "width": 1.5, "dash": "dot"},
    }
    lines: list[Trace] = [
        {"type": "line", "layer": "between", "line": styles[is_close]}
        | {"x0": x, "y0": y, "x1": points[end, 0].item(), "y1": points[end, 1].item()}
        for end, is_close in zip(ends, close.tolist(), strict=True)
    ]
    ring = {"type": "circle", "line": {"color": MARK, "width": 2.5}, "xanchor": x, "yanchor": y}
    for axis in "xy":  # in pixels around the point
        ring |= {f"{axis}sizemode": "pixel", f"{axis}0": -RING, f"{axis}1": RING}
    return [*lines, ring]


def _points(
    rows: Ids, texts: Sequence[str], series: str, look: tuple[str, str], *, few: bool
) -> Trace:
    color, symbol = look
    marker = {
        "color": color,
        "symbol": symbol,
        "size": 11 if few else 7,
        "opacity": 0.85,
        # An outline takes a browser as long as the point.
        "line": {"width": 0.8 if few else 0, "color": faint("#FFFFFF", 0.7)},
    }
    return marks(
        None,
        None,
        marker,
        "%{fullData.name}<br>%{customdata[1]}",
        name=label(series, 24),
        customdata=[[row, label(texts[row], 90)] for row in rows.tolist()],
        unselected={"marker": {"opacity": 0.25}},
    )
