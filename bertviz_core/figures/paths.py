"""Figures that play through the layers without the server, and words as paths that grow so.

A path ends in a large dot with the number of its word, which the legend explains.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact
from bertviz_core.figures.colors import INKS, MUTED, SENTENCE_COLORS, faint
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
from bertviz_core.figures.drawing import band as filled_band

MENU = 46  # pixels above a chart, for the button
STAY, MOVE = 1_000, 700  # milliseconds from layer to layer; of these the points move so long
JUMP = 250  # milliseconds of the move to a layer that was chosen
BEFORE = "before layer 0"  # group of the frames that a GIF leaves out; see saving.js
HEIGHT, ROW = 380, 18  # pixels of the plane, and of each row of its legend after the second
MAX_NAMED = len(SENTENCE_COLORS)  # words in the legend; the others are named by the pointer
MAX_SOLID = 4  # words whose paths are solid
SMALL, LARGE = 9, 24  # pixels: a dot, and the one of the layer
SENTENCE = 13  # pixels of the mark of a sentence without its word
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
    y: Array | Exact  # (layers,)
    hints: Sequence[str]  # HTML, what the pointer says at each layer
    color: str
    end: str = ""  # what is written beside its end
    tag: str = ""  # what is written in its end; "" for the number of the path
    # A mark that moves with the end, for its sentence without the word: (2, layers), x and y.
    mark: Array | Exact | None = None


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
    paths: Sequence[Path],
    anchors: tuple[str, str],
    middle: Array,
    *,
    layer: int,
    band: Array | None = None,
) -> Figure:
    """Draw words over their similarities to two anchors, from the input to a layer.

    `middle` (layers, 2) is where a word leans to neither anchor; `band` (layers,), how much more
    to one than to the other nine in ten sentences of one meaning lean at most.
    """
    across, up = (label(anchor) for anchor in anchors)
    points = [np.stack([path.x, path.y]) for path in paths]
    points += [path.mark for path in paths if path.mark is not None]
    x_range, y_range = _ranges(np.stack([*points, middle.T]))
    shapes = [
        _no_lean(x_range, at, 0 if band is None else float(band[number]))
        for number, at in enumerate(middle.tolist())
    ]
    frames = layer_frames([_reached(paths, at) for at in range(len(middle))])
    return draw(
        [look | there for look, there in zip(_looks(paths), _reached(paths, layer), strict=True)],
        height=HEIGHT + ROW * max(min(len(paths), MAX_NAMED) - 2, 0),
        frames=[
            frame | {"layout": {"shapes": of_layer}}
            for frame, of_layer in zip(frames, shapes, strict=True)
        ],
        legend=LEGEND,
        annotations=[
            _corner(f"<i>leans to {up}</i>", 0, 1, "left", "top"),
            _corner(f"<i>leans to {across}</i>", 1, 0, "right", "bottom"),
        ],
        shapes=shapes[layer],
        updatemenus=[play_menu(len(middle), len(middle) - 1, redraw=True)],
        sliders=[layer_scrubber([*map(str, range(len(middle)))], layer, "Layer ")],
        xaxis=titled(f"similarity to {across}", range=x_range, showgrid=True),
        yaxis=titled(f"similarity to {up}", range=y_range),
    )


def parting(
    paths: Sequence[Path],
    dotted: tuple[Array, str],
    *,
    steps: Sequence[str],
    height: int,
    sides: Sequence[str] = (),
    band: tuple[Array, Array] | None = None,
    layer: int | None = None,
) -> Figure:
    """Draw words over the layers: how much nearer to the first of two anchors they are.

    `x` of the `paths` are the layers. `dotted` is a line (layers,) and what it is: where a word
    leans to neither; without a name the legend has the paths alone. `steps` are played before layer
    1, for charts that move with this one; the last one is layer 0. `sides` are the two anchors,
    `band` is from where to where (layers,) nine in ten sentences of one meaning are. `layer` is
    drawn first; None for the last.
    """
    count = len(paths[0].y)
    names = [*steps, *(f"layer {layer} of {count - 1}" for layer in range(1, count))]
    last = len(names) - 1
    active = last if layer is None else last - (count - 1) + layer
    middle, name = dotted

    def reached_at(step: int) -> list[Trace]:
        layer = step - len(steps) + 1
        at = _until(count, layer)
        return [*_reached(paths, layer), {"type": "scatter", "x": at, "y": middle[at]}]

    neither: Trace = {"mode": "lines", "line": DOTTED, "name": name, "hoverinfo": "skip"}
    neither["showlegend"] = bool(name) and bool(np.isfinite(middle).any())
    traces = [
        look | there
        for look, there in zip([*_looks(paths), neither], reached_at(active), strict=True)
    ]
    drawn = [path.y for path in paths] + [path.mark[1] for path in paths if path.mark is not None]
    if band is not None:
        drawn += band
        area = filled_band(np.arange(count), *band, "nine in ten of one meaning", faint(MUTED, 0.2))
        traces.append(area | {"showlegend": bool(name)})
    heights = np.concatenate(drawn)
    room = max(ROOM * float(np.nanmax(heights) - np.nanmin(heights)), 0.02)
    slider = layer_scrubber(names, active)
    return draw(
        traces,
        height=height,
        frames=[
            frame | ({"group": BEFORE} if step < last - (count - 1) else {})
            for step, frame in enumerate(layer_frames([*map(reached_at, range(last + 1))]))
        ],
        legend=LEGEND,
        annotations=[
            *(
                _corner(f"{arrow} nearer to <b>{label(anchor, 14)}</b>", 0, y, "left", edge)
                for anchor, arrow, y, edge in zip(
                    sides, "↑↓", (1, 0), ("top", "bottom"), strict=False
                )
            ),
            *_ends(paths),
        ],
        dragmode=False,
        updatemenus=[play_menu(len(names), active, redraw=True)],
        # Its labels are too many to be read; the one in view is large above it.
        sliders=[slider | {"font": {"size": 1}}],
        margin={"r": 24 + width_of([path.end for path in paths])},
        xaxis=layers(
            numbers=(0, count - 1), range=[-0.2, count - 0.8], showgrid=True, fixedrange=True
        ),
        yaxis={
            "range": [float(np.nanmin(heights)) - room, float(np.nanmax(heights)) + room],
            "fixedrange": True,
            "nticks": 4,
        },
    )


def _looks(paths: Sequence[Path]) -> list[Trace]:
    """The look of all paths, then of their ends: the ends are drawn over the paths."""
    looks = []
    ends = []
    sentences = []
    for number, path in enumerate(paths, start=1):
        before, word, after = (label(part, 40) for part in path.name)
        dot = {"color": path.color, "size": SMALL}
        color = path.color if len(paths) <= MAX_SOLID else faint(path.color, 0.4)
        looks.append(
            marks(None, None, dot, "%{customdata}")
            | {
                "mode": "lines+markers",
                "line": {"color": color, "width": 2},
                "name": f"<b>{path.tag or number}</b> · {before}<b>{word}</b>{after}",
                "showlegend": number <= MAX_NAMED,
            }
        )
        ends.append(
            marks(None, None, dot | {"size": LARGE}, "%{customdata}")
            | {
                "mode": "markers+text",
                "text": [f"<b>{path.tag or number}</b>"],
                "textposition": "middle center",
                "textfont": {"color": INKS[path.color]},
                "showlegend": False,
            }
        )
        if path.mark is not None:
            dot = {"color": path.color, "size": SENTENCE, "symbol": "diamond-open"}
            dot["line"] = {"width": 2}
            hover = f"sentence {number} without %{{customdata}}"
            sentences.append(
                marks(None, None, dot, hover, customdata=[word])
                | {"name": "its sentence without it", "showlegend": number == 1}
            )
    return [look | {"cliponaxis": False} for look in looks + ends + sentences]


def _reached(paths: Sequence[Path], layer: int) -> list[Trace]:
    """The points of all paths, of their ends, and their marks, at a layer; none before layer 0."""
    until = _until(len(paths[0].y), layer)
    points: list[Trace] = [
        {
            "type": "scatter",
            **{"x": path.x[at], "y": path.y[at]},
            "customdata": [path.hints[number] for number in at],
        }
        for at in (until, until[-1:])
        for path in paths
    ]
    at = until[-1:]
    of_sentences = [path.mark for path in paths if path.mark is not None]
    return points + [{"type": "scatter", "x": x[at], "y": y[at]} for x, y in of_sentences]


def _until(count: int, layer: int) -> NDArray[np.intp]:
    """The layers up to one; later layers are put at that one, so that a path grows from it."""
    return np.minimum(np.arange(count), layer) if layer >= 0 else np.arange(0)


def _ranges(cosines: Array) -> tuple[list[float], list[float]]:
    """Ranges of both axes: equally long, each around its own numbers."""
    low, high = np.nanmin(cosines, axis=(0, 2)), np.nanmax(cosines, axis=(0, 2))
    span = max(float((high - low).max()) * (1 + 2 * ROOM), 0.1)
    x, y = ([float(m) - span / 2, float(m) + span / 2] for m in (low + high) / 2)
    return x, y


def _corner(text: str, x: float, y: float, xanchor: str, yanchor: str) -> Trace:
    """An annotation: a text in a corner of the axes."""
    corner = {"x": x, "y": y, "xanchor": xanchor, "yanchor": yanchor}
    return {"text": text, "xref": "x domain", "yref": "y domain", **corner}


def _no_lean(x_range: Sequence[float], middle: Sequence[float], band: float) -> list[Trace]:
    """The line on which a word leans to neither anchor, in a band; cut at the plane's edges."""
    left, right = x_range
    up = middle[1] - middle[0]
    ends = {"x0": left, "y0": left + up, "x1": right, "y1": right + up}
    line = {"type": "line", **ends, "line": DOTTED, "layer": "below"}
    if not band:
        return [line]
    corners = [(left, -band), (right, -band), (right, band), (left, band)]
    path = "L".join(f"{x},{x + up + off}" for x, off in corners)
    fill = {"fillcolor": faint(MUTED, 0.2), "line": {"width": 0}, "layer": "below"}
    return [line, {"type": "path", "path": f"M{path}Z", **fill}]


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
