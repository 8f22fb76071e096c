"""Figures that play through the layers without the server, and words as paths that grow so.

A path ends in a large dot with the number of its word, which the legend explains.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.figures.colors import INKS, SENTENCE_COLORS, faint
from bertviz_core.figures.drawing import (
    DOTTED,
    Figure,
    Trace,
    buttons,
    draw,
    label,
    layers,
    marks,
    titled,
    width_of,
)

MENU = 46  # pixels above a chart, for the button
STAY, MOVE = 1_000, 700  # milliseconds from layer to layer; of these the points move so long
JUMP = 250  # milliseconds of the move to a layer that was chosen
BEFORE = "before layer 0"  # group of the frames that a GIF leaves out; see saving.js
HEIGHT, ROW = 380, 18  # pixels of the plane, and of each row of its legend after the second
MAX_NAMED = len(SENTENCE_COLORS)  # words in the legend; the others are named by the pointer
MAX_SOLID = 4  # words whose paths are solid
SMALL, LARGE = 9, 24  # pixels: a dot, and the one of the layer
ROOM = 0.18  # of the range, on each side, for large dots
# At the lower edge of the chart, whatever room Plotly needs for it; a click hides nothing.
LEGEND = {
    **{"yref": "container", "y": 0, "yanchor": "bottom"},
    **{"itemclick": False, "itemdoubleclick": False},
}


class Path(NamedTuple):
    """A word's way through the layers."""

    name: tuple[str, str, str]  # what comes before the word, the word, and what comes after it
    x: NDArray[Any]  # (layers,)
    y: Array  # float32 (layers,)
    hints: Sequence[str]  # HTML, what the pointer says at each layer
    color: str
    end: str = ""  # what is written beside its end


def layer_frames(changes: Sequence[Sequence[Trace]]) -> list[Trace]:
    """Frames for `draw`, one a layer: the changes of the figure's first traces."""
    return [
        {"name": str(layer), "data": list(traces), "traces": list(range(len(traces)))}
        for layer, traces in enumerate(changes)
    ]


def layer_scrubber(labels: Sequence[str], active: int, prefix: str = "") -> Trace:
    """A slider for a layout, beside Play: it moves to a frame, whose label is large above it."""
    moves = {
        "frame": {"duration": JUMP, "redraw": True},
        "transition": {"duration": JUMP, "easing": "cubic-in-out"},
        "mode": "immediate",
    }
    return {
        "active": active,
        "x": 0,
        "len": 1,
        "y": 1,
        "yanchor": "bottom",
        "pad": {"b": 6, "t": 0, "l": 84, "r": 12},  # on the left is Play
        "ticklen": 4,
        "currentvalue": {"prefix": prefix, "xanchor": "left", "offset": 8, "font": {"size": 22}},
        "steps": [
            {"label": label, "method": "animate", "args": [[str(at)], moves]}
            for at, label in enumerate(labels)
        ],
    }


def play_menu(layers: int, layer: int, *, redraw: bool = False) -> Trace:
    """A menu with Play; frames that change more than the places of points need `redraw`."""
    # From layer 0 to the last, then back to the layer of the page.
    order = list(range(layers))
    names = [str(number) for number in (order if layer == order[-1] else [*order, layer])]
    moves = {
        "frame": {"duration": STAY, "redraw": redraw},
        "transition": {"duration": MOVE, "easing": "cubic-in-out"},
        "mode": "immediate",
    }
    return buttons([{"label": "▶ Play", "method": "animate", "args": [names, moves]}])


def anchor_plane(
    paths: Sequence[Path], anchors: tuple[str, str], middle: Array, *, layer: int
) -> Figure:
    """Draw words over their similarities to two anchors, from the input to a layer.

    `middle` (layers, 2) is where a word leans to neither anchor.
    """
    across, up = (label(anchor) for anchor in anchors)
    x_range, y_range = _ranges(
        np.stack([*(np.stack([path.x, path.y], axis=1) for path in paths), middle])
    )
    no_lean = [_no_lean(x_range, at) for at in middle.tolist()]
    frames = layer_frames([_reached(paths, at) for at in range(len(middle))])
    return draw(
        [look | there for look, there in zip(_looks(paths), _reached(paths, layer), strict=True)],
        height=HEIGHT + ROW * max(min(len(paths), MAX_NAMED) - 2, 0),
        frames=[
            frame | {"layout": {"shapes": [line]}}
            for frame, line in zip(frames, no_lean, strict=True)
        ],
        legend=LEGEND,
        annotations=[
            _corner(f"<i>leans to {up}</i>", 0, 1, "left", "top"),
            _corner(f"<i>leans to {across}</i>", 1, 0, "right", "bottom"),
        ],
        shapes=[no_lean[layer]],
        updatemenus=[play_menu(len(middle), len(middle) - 1, redraw=True)],
        sliders=[layer_scrubber([*map(str, range(len(middle)))], layer, "Layer ")],
        xaxis=titled(f"similarity to {across}", range=x_range, showgrid=True),
        yaxis=titled(f"similarity to {up}", range=y_range),
    )


def parting(
    paths: Sequence[Path],
    anchors: Sequence[str],
    middle: Array,
    *,
    steps: Sequence[str],
    height: int,
) -> Figure:
    """Draw words over the layers, by how much nearer to the first of two anchors they are.

    `middle` (layers,) is where a word leans to neither. The `steps`, of which the last one is
    layer 0, are played before layer 1, for the charts that move with this one.
    """
    count = len(paths[0].y)
    names = [*steps, *(f"layer {layer} of {count - 1}" for layer in range(1, count))]
    last = len(names) - 1

    def reached_at(step: int) -> list[Trace]:
        layer = step - len(steps) + 1
        at = _until(count, layer)
        return [*_reached(paths, layer), {"type": "scatter", "x": at, "y": middle[at]}]

    neither = {"mode": "lines", "line": DOTTED, "name": "leans to neither", "hoverinfo": "skip"}
    heights = np.concatenate([path.y for path in paths])
    room = max(ROOM * float(np.ptp(heights)), 0.02)
    above, below = (f"nearer to <b>{label(anchor, 14)}</b>" for anchor in anchors)
    sides = [
        _corner(f"↑ {above}", 0, 1, "left", "top"),
        _corner(f"↓ {below}", 0, 0, "left", "bottom"),
    ]
    slider = layer_scrubber(names, last)
    return draw(
        [
            look | there
            for look, there in zip([*_looks(paths), neither], reached_at(last), strict=True)
        ],
        height=height,
        frames=[
            frame | ({"group": BEFORE} if step < last - (count - 1) else {})
            for step, frame in enumerate(layer_frames([*map(reached_at, range(last + 1))]))
        ],
        legend=LEGEND,
        annotations=[*sides, *_ends(paths)],
        dragmode=False,
        updatemenus=[play_menu(len(names), last, redraw=True)],
        # Its labels are too many to be read; the one in view is large above it.
        sliders=[slider | {"font": {"size": 1}}],
        margin={"r": 24 + width_of([path.end for path in paths])},
        xaxis=layers(
            numbers=(0, count - 1), range=[-0.2, count - 0.8], showgrid=True, fixedrange=True
        ),
        yaxis={
            "range": [float(heights.min()) - room, float(heights.max()) + room],
            "fixedrange": True,
            "nticks": 4,
        },
    )


def _looks(paths: Sequence[Path]) -> list[Trace]:
    """The look of all paths, then of their ends: the ends are drawn over the paths."""
    looks = []
    ends = []
    for number, path in enumerate(paths, start=1):
        before, word, after = (label(part, 40) for part in path.name)
        dot = {"color": path.color, "size": SMALL}
        color = path.color if len(paths) <= MAX_SOLID else faint(path.color, 0.4)
        looks.append(
            marks(None, None, dot, "%{customdata}")
            | {
                "mode": "lines+markers",
                "line": {"color": color, "width": 2},
                "name": f"<b>{number}</b> · {before}<b>{word}</b>{after}",
                "showlegend": number <= MAX_NAMED,
            }
        )
        ends.append(
            marks(None, None, dot | {"size": LARGE}, "%{customdata}")
            | {
                "mode": "markers+text",
                "text": [f"<b>{number}</b>"],
                "textposition": "middle center",
                "textfont": {"color": INKS[path.color]},
                "showlegend": False,
            }
        )
    return [look | {"cliponaxis": False} for look in looks + ends]


def _reached(paths: Sequence[Path], layer: int) -> list[Trace]:
    """The points of all paths, then of their ends, at a layer; before layer 0 there are none."""
    until = _until(len(paths[0].y), layer)
    return [
        {
            "type": "scatter",
            **{"x": path.x[at], "y": path.y[at]},
            "customdata": [path.hints[number] for number in at],
        }
        for at in (until, until[-1:])
        for path in paths
    ]


def _until(count: int, layer: int) -> NDArray[np.intp]:
    """The layers up to one; later layers are put at that one, so that a path grows from it."""
    return np.minimum(np.arange(count), layer) if layer >= 0 else np.arange(0)


def _ranges(cosines: Array) -> tuple[list[float], list[float]]:
    """Ranges of both axes: equally long, each around its own numbers."""
    low, high = cosines.min(axis=(0, 1)), cosines.max(axis=(0, 1))
    span = max(float((high - low).max()) * (1 + 2 * ROOM), 0.1)
    x, y = ([float(m) - span / 2, float(m) + span / 2] for m in (low + high) / 2)
    return x, y


def _corner(text: str, x: float, y: float, xanchor: str, yanchor: str) -> Trace:
    """An annotation: a text in a corner of the axes."""
    corner = {"x": x, "y": y, "xanchor": xanchor, "yanchor": yanchor}
    return {"text": text, "xref": "x domain", "yref": "y domain", **corner}


def _no_lean(x_range: Sequence[float], middle: Sequence[float]) -> Trace:
    """The line on which a word leans to neither anchor; Plotly cuts it at the plane's edges."""
    left, right = x_range
    up = middle[1] - middle[0]
    ends = {"x0": left, "y0": left + up, "x1": right, "y1": right + up}
    return {"type": "line", **ends, "line": DOTTED, "layer": "below"}


def _ends(paths: Sequence[Path]) -> list[Trace]:
    """Labels of the ends of paths: that of the highest end above it, the others below."""
    ends = [path for path in paths if path.end]
    highest = max((float(path.y[-1]) for path in ends), default=0)
    return [
        {
            "text": f"<b>{label(path.end)}</b>",
            **{"x": len(path.y) - 1, "xanchor": "left", "xshift": 20, "font": {"size": 15}},
            **{"y": float(path.y[-1]), "yanchor": "bottom" if path.y[-1] == highest else "top"},
        }
        for path in ends
    ]
