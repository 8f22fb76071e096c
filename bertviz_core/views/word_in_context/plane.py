"""The plane of two anchors: how alike words are to each of them, as paths through the layers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import apart, label, titled
from bertviz_core.figures.colors import MUTED, SENTENCES, faint, ink
from bertviz_core.figures.drawing import Figure, Trace, draw
from bertviz_core.figures.playing import layer_frames, play_menu
from bertviz_core.figures.template import FRAME

Name = tuple[str, str, str]  # what comes before a word, the word, and what comes after it
Range = list[float]
MOST_LABELLED = len(SENTENCES)  # words
MOST_NUMBERED = 4  # words whose dots are numbered
DOT, CHOSEN, SMALL = 18, 28, 7  # pixels
WIDTH = 560  # pixels that two dots of the picture are apart at least on most screens
ROOM = 0.12  # of the range, on each side, for labels
HOVER = "%{customdata}<extra></extra>"


def anchor_plane(
    cosines: Array,
    names: Sequence[Name],
    anchors: tuple[str, str],
    hints: Sequence[Sequence[str]],
    *,
    layer: int,
    height: int = 400,
) -> Figure:
    """Draw each word as a path from layer 0 to the last, over its similarities to two anchors.

    `cosines` are (n, layers, 2); `hints` are what the pointer says of each word at each layer. Both
    axes are equally long. The first six words are printed at their paths; of more than four only
    the large dots, those of the chosen layer, have numbers. The traces: n paths with their dots,
    the numbers of dots, the large dots.
    """
    count, layers = cosines.shape[:2]
    across, up = axes = _ranges(cosines)
    scale = np.array([WIDTH, height - FRAME]) / (across[1] - across[0])  # pixels
    crowded = count > MOST_NUMBERED
    colors = [*SENTENCES, *[MUTED] * count][:count]
    pointed = [
        ["<br>".join(label(line, 100) for line in hint.split("\n")) for hint in row]
        for row in hints
    ]
    sizes = _sizes(cosines * scale, layer, numbered=not crowded)
    dots: list[Trace] = [
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": cosines[:, at, 0],
            "y": cosines[:, at, 1],
            "marker": {"color": colors, "size": DOT if crowded else CHOSEN},
            "text": [f"<b>{at}</b>"] * count,
            "textfont": {"color": [ink(color) for color in colors]},
            "customdata": [own[at] for own in pointed],
            "hovertemplate": HOVER,
        }
        for at in range(layers)
    ]
    moved = [{key: dot[key] for key in ("type", "x", "y", "text", "customdata")} for dot in dots]
    paths: list[Trace] = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": path[:, 0],
            "y": path[:, 1],
            "line": {"color": faint(color, 0.4) if crowded else color, "width": 2},
            "marker": {"color": color, "size": size, "opacity": 1},
            "customdata": own,
            "hovertemplate": HOVER,
        }
        for path, color, own, size in zip(cosines, colors, pointed, sizes, strict=True)
    ]
    words, named = np.nonzero(np.array(sizes) == DOT)
    # Not the texts of the paths: of those, plotly.js 4 takes the empty ones off the page, and as it
    # plays it moves the others to the dots of their places among those that are left.
    numbers: Trace = {
        "type": "scatter",
        "mode": "text",
        "x": cosines[words, named, 0],
        "y": cosines[words, named, 1],
        "text": [str(at) for at in named],
        "textfont": {"color": [ink(colors[word]) for word in words]},
        "hoverinfo": "skip",
    }
    return draw(
        [*paths, numbers, dots[layer]],
        height=height,
        frames=layer_frames([[dot] for dot in moved], first=count + 1),
        annotations=[*_sides(anchors, axes), *_at_the_ends(cosines, names, colors, axes, scale)],
        shapes=_diagonal(axes),
        updatemenus=[play_menu(layers, layer)],
        xaxis=titled(f"similarity to {label(anchors[0])}", range=across, showgrid=True),
        yaxis=titled(f"similarity to {label(anchors[1])}", range=up),
    )


def _ranges(cosines: Array) -> tuple[Range, Range]:
    """Of both axes: equally long, each around its own numbers, and some of the diagonal inside."""
    low, high = cosines.min(axis=(0, 1)), cosines.max(axis=(0, 1))
    middle = (low + high) / 2
    apart = float(abs(middle[0] - middle[1]))
    span = max(float((high - low).max()) * (1 + 2 * ROOM), apart / 0.8, 0.1)
    x, y = ([float(m) - span / 2, float(m) + span / 2] for m in middle)
    return x, y


def _sizes(dots: NDArray[np.floating], layer: int, *, numbered: bool) -> list[list[int]]:
    """Of each dot, (n, layers, 2) in pixels: `DOT` where its number has room, `SMALL`, or 0.

    The large dots come first, then the ends of the paths. A dot that another one hides has none;
    one under its own large dot is seen while that one plays.
    """
    count, layers, _ = dots.shape
    taken = [(dots[word, layer], CHOSEN) for word in range(count)]
    sizes = np.full((count, layers), SMALL)
    in_order = (0, layers - 1, *range(1, layers - 1))
    for at in (each for each in in_order if each != layer):
        for word in range(count):
            here = dots[word, at]
            away = [(float(np.hypot(*(here - dot))), size) for dot, size in taken]
            if any(distance < size / 2 for distance, size in away):
                sizes[word, at] = 0
            elif numbered and all(distance >= (size + DOT) / 2 for distance, size in away):
                taken.append((here, DOT))
                sizes[word, at] = DOT
    return sizes.tolist()


def _at_the_ends(
    cosines: Array,
    names: Sequence[Name],
    colors: Sequence[str],
    axes: tuple[Range, Range],
    scale: NDArray[np.floating],
) -> list[Trace]:
    """The first words at the ends of their paths, where they hide few dots; a line leads there."""
    corner = np.array([axes[0][0], axes[1][1]])  # the upper left one
    dots = (cosines - corner) * [scale[0], -scale[1]]
    beside, wanted = [], []
    for path, name in zip(dots[:MOST_LABELLED], names, strict=False):
        end, step = path[-1], path[-1] - path[-2:][0]
        # Towards the middle, where there is room, and on in the direction of the last step.
        side, way = (1 if end[0] < WIDTH / 2 else -1), (1 if step[1] > 0 else -1)
        size = np.array([7 * len("".join(name)), 16])
        hidden = {}
        for across, down in ((side, way), (side, -way), (-side, way), (-side, -way)):
            middle = np.add(end, [across * (20 + size[0] / 2), 24 * down])
            cut = abs(middle[0] - WIDTH / 2) > (WIDTH - size[0]) / 2
            under = (np.abs(dots - middle) < (size + DOT) / 2).all(axis=-1)
            hidden[across, down] = int(under.sum()) + 99 * bool(cut)
        across, down = min(hidden, key=lambda place: hidden[place])
        beside.append(across)
        wanted.append(float(end[1]) + 24 * down)
    return [
        {
            "x": x,
            "y": y,
            "text": f"{label(before, 40)}<b>{label(word, 40)}</b>{label(after, 40)}",
            "showarrow": True,
            "arrowhead": 0,
            "standoff": CHOSEN // 2,  # pixels: the line ends at the large dot, not on its number
            "arrowwidth": 1,
            "arrowcolor": color,
            "font": {"size": 12},
            "ax": 18 * side,
            "ay": round(at - dot),
            "xanchor": "left" if side > 0 else "right",
        }
        for (before, word, after), color, (x, y), side, at, dot in zip(
            names,
            colors,
            cosines[:, -1].tolist(),
            beside,
            apart(wanted, 20),
            dots[:, -1, 1].tolist(),
            strict=False,
        )
    ]


def _sides(anchors: tuple[str, str], axes: tuple[Range, Range]) -> list[Trace]:
    """Which side of the diagonal is whose, in the corners that lie on that side."""
    (left, right), (bottom, top) = axes
    corners = []
    if top > left:
        corners.append((anchors[1], 0.01, 0.99, "left", "top"))
    if right > bottom:
        corners.append((anchors[0], 0.99, 0.01, "right", "bottom"))
    return [
        {
            "text": f"<i>closer to {label(anchor)}</i>",
            "x": x,
            "y": y,
            "xref": "x domain",
            "yref": "y domain",
            "xanchor": across,
            "yanchor": up,
        }
        for anchor, x, y, across, up in corners
    ]


def _diagonal(axes: tuple[Range, Range]) -> list[Trace]:
    """Where both similarities are equal, as far as it lies in the picture."""
    (left, right), (bottom, top) = axes
    low, high = max(left, bottom), min(right, top)
    line = {"color": MUTED, "dash": "dot", "width": 1.5}
    ends = {"x0": low, "y0": low, "x1": high, "y1": high}
    return [{"type": "line", **ends, "line": line, "layer": "below"}]
