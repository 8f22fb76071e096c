"""The plane of two anchors: how alike words are to each of them, as paths through the layers."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import label, titled
from bertviz_core.figures.colors import MUTED, SENTENCES, faint, ink
from bertviz_core.figures.drawing import Figure, Trace, draw, marks
from bertviz_core.figures.playing import SCRUBBER, layer_frames, layer_scrubber, play_menu

Name = tuple[str, str, str]  # what comes before a word, the word, and what comes after it
Range = list[float]
MOST_NAMED = len(SENTENCES)  # words in the legend; the others are grey, and named by the pointer
MOST_SOLID = 4  # words whose paths are solid, and whose ends are large
SMALL, LARGE, CROWDED = 9, 26, 19  # pixels: a dot; one of the layer in view, and of more words
HEIGHT, HEIGHT_LARGE = 306, 240  # of the plane with its axes, without the slider
ROWS, ROW = 2, 18  # of the legend that fit; pixels of each further one
SIDES, SIDES_LARGE = 18, 27  # pixels above the axes, for the names of the two sides
ROOM = 0.18  # of the range, on each side, for large dots
HOVER = "%{customdata}"


def anchor_plane(
    cosines: Array,
    names: Sequence[Name],
    anchors: tuple[str, str],
    hints: Sequence[Sequence[str]],
    *,
    layer: int,
    large: bool = False,
    middle: Array | None = None,
) -> Figure:
    """Draw each word as a path to a layer, over its similarities to two anchors (n, layers, 2).

    A path ends in the number of its word, which the legend names. `middle` (layers, 2) is where a
    word leans to neither; that of the words unless it is given.
    """
    middle = cosines.mean(axis=0) if middle is None else middle
    count, layers = cosines.shape[:2]
    axes = _ranges(np.concatenate([cosines, middle[None]]))
    no_lean = [_no_lean(axes, at) for at in middle.tolist()]
    colors = [*SENTENCES, *[MUTED] * count][:count]
    pointed = [[label(hint, 100) for hint in row] for row in hints]

    def where(at: int) -> list[Trace]:
        """What differs from layer to layer: of the paths, then of their large dots."""
        # What is to come lies under the large dot, from which the path grows as it moves on.
        steps = [np.minimum(np.arange(layers), at), np.array([at])]
        return [
            {
                "type": "scatter",
                **{"x": path[reached, 0], "y": path[reached, 1]},
                "customdata": [own[step] for step in reached],
            }
            for reached in steps
            for path, own in zip(cosines, pointed, strict=True)
        ]

    looks = [
        *(_path(name, number, colors[number], count) for number, name in enumerate(names)),
        *(_large(number, color, count) for number, color in enumerate(colors)),
    ]
    above, slider = SIDES_LARGE if large else SIDES, layer_scrubber(layers, layer)
    rows = max(min(count, MOST_NAMED) - ROWS, 0)
    # The title is nearer to its axis than on other charts, since the legend is below it.
    across = {"text": f"similarity to {label(anchors[0])}", "standoff": 8}
    return draw(
        [look | there for look, there in zip(looks, where(layer), strict=True)],
        height=(HEIGHT_LARGE if large else HEIGHT) + SCRUBBER + rows * ROW,
        frames=[
            frame | {"layout": {"shapes": shapes}}
            for frame, shapes in zip(
                layer_frames([*map(where, range(layers))]), no_lean, strict=True
            )
        ],
        # At the lower edge of the chart, whatever room Plotly needs for it; a click hides nothing.
        legend={
            **{"yref": "container", "y": 0, "yanchor": "bottom"},
            **{"itemclick": False, "itemdoubleclick": False},
        },
        annotations=_sides(anchors),
        shapes=no_lean[layer],
        updatemenus=[play_menu(layers, layers - 1, redraw=True) | {"pad": {"b": above + 4}}],
        sliders=[slider | {"pad": slider["pad"] | {"b": above + 6}}],
        margin={"t": SCRUBBER + 6 + SIDES},
        xaxis={"title": across, "range": axes[0], "showgrid": True},
        yaxis=titled(f"similarity to {label(anchors[1])}", range=axes[1]),
    )


def _path(name: Name, number: int, color: str, count: int) -> Trace:
    before, word, after = (label(part, 40) for part in name)
    line = {"color": color if count <= MOST_SOLID else faint(color, 0.4), "width": 2}
    return marks(None, None, {"color": color, "size": SMALL}, HOVER) | {
        "mode": "lines+markers",
        "line": line,
        "name": f"<b>{number + 1}</b> · {before}<b>{word}</b>{after}",
        "showlegend": number < MOST_NAMED,
    }


def _large(number: int, color: str, count: int) -> Trace:
    """The end of a path. Each is a trace: where two are at one place, one number is seen."""
    size = LARGE if count <= MOST_SOLID else CROWDED
    return marks(None, None, {"color": color, "size": size}, HOVER) | {
        "mode": "markers+text",
        "text": [f"<b>{number + 1}</b>"],
        "textposition": "middle center",
        "textfont": {"color": ink(color)},
        "showlegend": False,
    }


def _ranges(cosines: Array) -> tuple[Range, Range]:
    """Of both axes: equally long, each around its own numbers."""
    low, high = cosines.min(axis=(0, 1)), cosines.max(axis=(0, 1))
    middle = (low + high) / 2
    span = max(float((high - low).max()) * (1 + 2 * ROOM), 0.1)
    x, y = ([float(m) - span / 2, float(m) + span / 2] for m in middle)
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


def _no_lean(axes: tuple[Range, Range], middle: Sequence[float]) -> list[Trace]:
    """Where a word leans to neither anchor, as far as it lies in the picture."""
    (left, right), (bottom, top) = axes
    up = middle[1] - middle[0]
    low, high = max(left, bottom - up), min(right, top - up)
    line = {"color": MUTED, "dash": "dot", "width": 1.5}
    ends = {"x0": low, "y0": low + up, "x1": high, "y1": high + up}
    return [{"type": "line", **ends, "line": line, "layer": "below"}]
