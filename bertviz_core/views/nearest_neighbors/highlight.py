"""What is highlighted on the map of the token table: dots, lines and labels that do not meet."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label
from bertviz_core.figures.colors import SENTENCES, faint
from bertviz_core.figures.drawing import Trace
from bertviz_core.figures.template import DARK, LARGER, LETTERS, LIGHT
from bertviz_core.views.nearest_neighbors.map_figure import AROUND, HEIGHT, Cloud

Array = NDArray[np.float32]
LINE = 16  # pixels a label is high
DOT, OWN_DOT = 2, 3  # how large the dots are, in arrowheads of Plotly's
WIDE = 0.24  # share of the map's width that no two labels of one height share


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
