"""Words as paths through the layers, which grow as they play.

A path ends in a large dot with the number of its word, which the legend explains.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import label, layers, titled, width_of
from bertviz_core.figures.colors import MUTED, SENTENCES, faint, ink
from bertviz_core.figures.drawing import Figure, Trace, draw, marks, panel_title
from bertviz_core.figures.playing import SCRUBBER, layer_frames, layer_scrubber, play_menu

BEFORE = "before layer 0"  # group of the frames that a GIF leaves out; see saving.js
MAX_NAMED = len(SENTENCES)  # words in the legend; the others are named by the pointer
MAX_SOLID = 4  # words whose paths are solid, and whose dots are large
SMALL, LARGE, CROWDED = 9, 26, 19  # pixels: a dot; the one of the layer, and of more words
HEIGHT, HEIGHT_LARGE = 306, 240  # of the plane with its axes, without the slider
ROWS, ROW = 2, 18  # of the legend that fit; pixels of each further one
SIDES, SIDES_LARGE = 18, 28  # pixels above the axes, for the names of the two sides
ROOM = 0.18  # of the range, on each side, for large dots
CLOSE = 0.3  # of the height: words beside ends that are nearer would meet
DOTTED = {"color": MUTED, "dash": "dot", "width": 1.5}  # where a word leans to neither
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
    opens: str = ""  # the address that this opens, "" for none


def anchor_plane(
    paths: Sequence[Path],
    anchors: tuple[str, str],
    middle: Array,
    *,
    layer: int,
    large: bool = False,
) -> Figure:
    """Draw words over their similarities to two anchors, from the input to a layer.

    `middle` (layers, 2) is where a word leans to neither anchor.
    """
    axes = _ranges(np.stack([*(np.stack([path.x, path.y], axis=1) for path in paths), middle]))
    no_lean = [_no_lean(axes, at) for at in middle.tolist()]
    frames = layer_frames([_reached(paths, at) for at in range(len(middle))])
    above, slider = SIDES_LARGE if large else SIDES, layer_scrubber(len(middle), layer)
    rows = max(min(len(paths), MAX_NAMED) - ROWS, 0)
    # The title is nearer to its axis than on other charts, since the legend is below it.
    title = {"text": f"similarity to {label(anchors[0])}", "standoff": 8}
    return draw(
        [look | there for look, there in zip(_looks(paths), _reached(paths, layer), strict=True)],
        height=(HEIGHT_LARGE if large else HEIGHT) + SCRUBBER + rows * ROW,
        frames=[
            frame | {"layout": {"shapes": shapes}}
            for frame, shapes in zip(frames, no_lean, strict=True)
        ],
        legend=LEGEND,
        annotations=_sides(anchors),
        shapes=no_lean[layer],
        updatemenus=[
            play_menu(len(middle), len(middle) - 1, redraw=True) | {"pad": {"b": above + 4}}
        ],
        sliders=[slider | {"pad": slider["pad"] | {"b": above + 6}}],
        margin={"t": SCRUBBER + 6 + SIDES},
        xaxis={"title": title, "range": axes[0], "showgrid": True},
        yaxis=titled(f"similarity to {label(anchors[1])}", range=axes[1]),
    )


def parting(
    paths: Sequence[Path],
    anchors: Sequence[str],
    middle: Array | None,
    *,
    steps: Sequence[str],
    opens: str,
    height: int,
    large: bool = False,
) -> Figure:
    """Draw words over the layers, by how much nearer to the first of two anchors they are.

    `middle` (layers,) is where a word leans to neither. A tap on a path opens an address. The
    `steps`, of which the last one is layer 0, are played before layer 1, for the charts that move
    with this one.
    """
    count = len(paths[0].y)
    names = [*steps, *(f"layer {layer} of {count - 1}" for layer in range(1, count))]
    last = len(names) - 1

    def reached_at(step: int) -> list[Trace]:
        layer = step - len(steps) + 1
        reached = _reached(paths, layer)
        if middle is not None:
            at = _until(count, layer)
            reached.append({"type": "scatter", "x": at, "y": middle[at]})
        return reached

    looks = [look | {"meta": opens} for look in _looks(paths)]
    looks += [{"mode": "lines", "line": DOTTED, "name": "leans to neither", "hoverinfo": "skip"}]
    heights = np.concatenate([path.y for path in paths])
    room = max(ROOM * float(np.ptp(heights)), 0.02)
    span = [float(heights.min()) - room, float(heights.max()) + room]
    sides = (
        f"{arrow} nearer to <b>{label(one, 14)}</b>"
        for arrow, one in zip("↑↓", anchors, strict=False)
    )
    side = panel_title("   ".join(sides), y=1)  # where no path is
    ends = _ends(paths, span[1] - span[0])
    above = SIDES_LARGE if large else SIDES
    slider = layer_scrubber(len(names), last, prefix="", labels=names)
    across = layers(numbers=(0, count - 1), range=[-0.2, count - 0.8], showgrid=True)
    across |= {"fixedrange": True, "title": across["title"] | {"standoff": 8}}
    if large:  # an audience reads the layer above the slider
        del across["title"]
    return draw(
        [look | there for look, there in zip(looks, reached_at(last), strict=False)],
        height=height,
        frames=[
            frame
            | {"layout": {"annotations": [side, *(ends if step == last else [])]}}
            | ({"group": BEFORE} if step < last - (count - 1) else {})
            for step, frame in enumerate(layer_frames([*map(reached_at, range(last + 1))]))
        ],
        legend=LEGEND,
        annotations=[side, *ends],
        dragmode=False,
        updatemenus=[play_menu(len(names), last, redraw=True) | {"pad": {"b": above + 4}}],
        # Its labels are too many to be read; the one in view is large above it.
        sliders=[slider | {"font": {"size": 1}, "pad": slider["pad"] | {"b": above}}],
        margin={"t": 60 + SIDES, "r": 24 + width_of([path.end for path in paths])},
        xaxis=across,
        yaxis={"range": span, "fixedrange": True, "nticks": 3 if large else 5},
    )


def _looks(paths: Sequence[Path]) -> list[Trace]:
    """How the paths look, then their ends: of two ends at one place one number is seen."""
    solid = len(paths) <= MAX_SOLID
    looks, ends = [], []
    for number, path in enumerate(paths, start=1):
        before, word, after = (label(part, 40) for part in path.name)
        dot = {"color": path.color, "size": SMALL}
        looks.append(
            marks(None, None, dot, "%{customdata}")
            | {
                "mode": "lines+markers",
                "line": {"color": path.color if solid else faint(path.color, 0.4), "width": 2},
                "name": f"<b>{number}</b> · {before}<b>{word}</b>{after}",
                "showlegend": number <= MAX_NAMED,
            }
        )
        ends.append(
            marks(None, None, dot | {"size": LARGE if solid else CROWDED}, "%{customdata}")
            | {
                "mode": "markers+text",
                "text": [f"<b>{number}</b>"],
                "textposition": "middle center",
                "textfont": {"color": ink(path.color)},
                "showlegend": False,
            }
        )
    return [look | {"cliponaxis": False} for look in looks + ends]


def _reached(paths: Sequence[Path], layer: int) -> list[Trace]:
    """Where the paths, then their ends, are at a layer; before layer 0 nowhere."""
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
    """The layers up to one. What is to come lies there as well, so that a path grows from it."""
    return np.minimum(np.arange(count), layer) if layer >= 0 else np.arange(0)


def _ranges(cosines: Array) -> tuple[list[float], list[float]]:
    """Of both axes: equally long, each around its own numbers."""
    low, high = cosines.min(axis=(0, 1)), cosines.max(axis=(0, 1))
    span = max(float((high - low).max()) * (1 + 2 * ROOM), 0.1)
    x, y = ([float(m) - span / 2, float(m) + span / 2] for m in (low + high) / 2)
    return x, y


def _sides(anchors: tuple[str, str]) -> list[Trace]:
    """Which side of the line is whose: above the axes, where no path is."""
    across, up = (f"leans to {label(anchor, 12)}" for anchor in anchors)
    ends = [(f"<i>↖ {up}</i>", 0, "left"), (f"<i>{across} ↘</i>", 1, "right")]
    return [
        {"text": text, "x": x, "xref": "x domain", "xanchor": anchor}
        | {"y": 1, "yref": "y domain", "yanchor": "bottom", "borderpad": 0}
        for text, x, anchor in ends
    ]


def _no_lean(axes: tuple[list[float], list[float]], middle: Sequence[float]) -> list[Trace]:
    """Where a word leans to neither anchor, as far as it lies in the picture."""
    (left, right), (bottom, top) = axes
    up = middle[1] - middle[0]
    low, high = max(left, bottom - up), min(right, top - up)
    ends = {"x0": low, "y0": low + up, "x1": high, "y1": high + up}
    return [{"type": "line", **ends, "line": DOTTED, "layer": "below"}]


def _ends(paths: Sequence[Path], span: float) -> list[Trace]:
    """The words beside the ends of paths; one above the other where they meet."""
    ends = [path for path in paths if path.end]
    heights = [float(path.y[-1]) for path in ends]
    meet = len(ends) > 1 and np.ptp(heights) < CLOSE * span
    return [
        {
            "text": _link(f"<b>{label(path.end)}</b>", path.opens),
            **{"x": len(path.y) - 1, "xanchor": "left", "xshift": 20, "font": {"size": 15}},
            **{"y": height, "yanchor": "middle"},
            **({"yanchor": "bottom" if height == max(heights) else "top"} if meet else {}),
        }
        for path, height in zip(ends, heights, strict=True)
    ]


def _link(text: str, address: str) -> str:
    return f'<a href="{escape(address)}" target="_self">{text}</a>' if address else text
