"""Occurrences of a word as points on a plane."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label, titled, width_of
from bertviz_core.figures.colors import MUTED, SENTENCES, SMOOTH, faint
from bertviz_core.figures.drawing import Figure, Trace, draw
from bertviz_core.figures.template import MENU

MOST_SERIES = 12
FEW = 200  # points that can be large, with an outline
OTHERS = "others"
LINES = SMOOTH  # no series has it
PLOT, PHONE, LEGEND_MARK = 420, 300, 34  # pixels
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star")


def occurrence_map(
    points: NDArray[np.float32],
    series: Sequence[str],
    texts: Sequence[str],
    *,
    axes: tuple[str, str],
    extent: NDArray[np.float32] | None = None,
) -> Figure:
    """Draw each occurrence as a point, coloured and shaped by its sense or its group.

    Args:
        points: float32 (n, 2).
        series: Of each point its sense or group. The 12 largest have a mark of their own; the
            rest share a grey one.
        texts: What is shown when a point is pointed at.
        axes: Titles of the horizontal and of the vertical axis.
        extent: float32 (2, 2), lowest and highest point that must fit in, where several maps are
            to have one scale.

    Returns:
        A scatter chart with one scale on both axes, whose points carry their index, 0 to n - 1,
        as the first of their custom data.

    Raises:
        ValueError: There is not one point, series and text an occurrence.
    """
    if points.shape != (len(series), 2) or len(series) != len(texts):
        raise ValueError(
            f"points have shape {points.shape}, series {(len(series),)}, texts {(len(texts),)}"
        )
    names, sizes = np.unique(np.array(series, dtype=object), return_counts=True)
    largest = sorted(names[np.argsort(-sizes, kind="stable")][:MOST_SERIES])
    shown = np.array([name if name in set(largest) else OTHERS for name in series], dtype=object)
    traces = [
        _points(points, np.flatnonzero(shown == name), texts, name, number)
        for number, name in enumerate(largest)
    ]
    if OTHERS in shown and OTHERS not in largest:
        traces.append(_points(points, np.flatnonzero(shown == OTHERS), texts, OTHERS, None))
    low, high = _room(points if extent is None else extent)
    # Room by estimate, for the legend on a phone: with room that Plotly measures, 2,000 points
    # take 1.9 times as long.
    entries = sum(width_of([trace["name"]]) + LEGEND_MARK for trace in traces)
    bottom = 62 + 20 * ceil(entries / PHONE)
    return draw(
        traces,
        height=PLOT + MENU + bottom,
        legend={"y": -50 / PLOT},
        margin={"l": 64, "r": 12, "t": MENU, "b": bottom, "autoexpand": False},
        dragmode="pan",  # Streamlit lets a click select only while dragging does not
        hoverlabel={"align": "left"},
        xaxis=titled(axes[0], range=[low[0], high[0]], automargin=False),
        yaxis=titled(axes[1], range=[low[1], high[1]], scaleanchor="x", automargin=False),
    )


def lines_to(
    points: NDArray[np.float32],
    start: int,
    ends: Sequence[int],
    close: NDArray[np.bool],
) -> list[Trace]:
    """Shapes for a map: thin lines from one point to others, below the points.

    Args:
        points: float32 (n, 2).
        start: Index of the point they start at.
        ends: Indices of the points they lead to.
        close: (ends,): which lines are solid; the others are dotted and pale.

    Returns:
        One line an end, in plain numbers.
    """
    x, y = points[start].tolist()
    styles = {
        True: {"color": LINES, "width": 1.5},
        False: {"color": MUTED, "width": 1.5, "dash": "dot"},
    }
    return [
        {"type": "line", "layer": "between", "line": styles[is_close]}
        | {"x0": x, "y0": y, "x1": points[end, 0].item(), "y1": points[end, 1].item()}
        for end, is_close in zip(ends, close.tolist(), strict=True)
    ]


def _points(
    points: NDArray[np.float32],
    rows: NDArray[np.int64],
    texts: Sequence[str],
    name: str,
    number: int | None,
) -> dict[str, Any]:
    name, few = label(name, 40), len(points) <= FEW
    # The second six series have the colours of the first, with other shapes.
    color, symbol = MUTED, _SYMBOLS[0]
    if number is not None:
        color = SENTENCES[number % len(SENTENCES)]
        symbol = _SYMBOLS[(number + number // len(SENTENCES)) % len(_SYMBOLS)]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": points[rows, 0],
        "y": points[rows, 1],
        "name": name,
        "customdata": [[row, label(texts[row], 90)] for row in rows.tolist()],
        "hovertemplate": f"%{{customdata[1]}}<extra>{name}</extra>",
        "marker": {
            "color": color,
            "symbol": symbol,
            "size": 11 if few else 7,
            "opacity": 0.85,
            # An outline takes a browser as long as the point.
            "line": {"width": 0.8 if few else 0, "color": faint("#FFFFFF", 0.7)},
        },
        "unselected": {"marker": {"opacity": 0.25}},
    }


def _room(points: NDArray[np.float32]) -> tuple[list[float], list[float]]:
    """Lowest and highest point, and a little more at each end."""
    low, high = points.min(axis=0).astype(np.float64), points.max(axis=0).astype(np.float64)
    margin = np.maximum((high - low).max() * 0.06, 1e-6)
    return (low - margin).tolist(), (high + margin).tolist()
