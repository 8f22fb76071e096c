"""Occurrences of a word as points on a plane."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import MENU, label, label_width
from bertviz_core.figures.colors import MUTED, SENTENCES

MOST_SERIES = 12
FEW = 200  # points that can be large, with an outline
OTHERS = "others"
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star")
_LONGEST = 90
_PLOT, _PHONE, _LEGEND_MARK = 420, 300, 34  # pixels


def occurrence_map(
    points: NDArray[np.float32],
    series: Sequence[str],
    texts: Sequence[str],
    *,
    axes: tuple[str, str],
    extent: NDArray[np.float32] | None = None,
) -> go.Figure:
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
        A scatter chart with one scale on both axes, whose points carry their place, 0 to n - 1,
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
    shown = [name if name in set(largest) else OTHERS for name in series]
    traces = [
        _trace(points, [i for i, s in enumerate(shown) if s == name], texts, name, number)
        for number, name in enumerate(largest)
    ]
    if OTHERS in shown and OTHERS not in largest:
        rest = [i for i, s in enumerate(shown) if s == OTHERS]
        traces.append(_trace(points, rest, texts, OTHERS, None))
    figure = go.Figure({"data": traces})
    low, high = _room(points if extent is None else extent)
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -0.12, "yanchor": "top"},
        dragmode="pan",  # Streamlit lets a click select only while dragging does not
        hoverlabel={"align": "left"},
        xaxis={"title": {"text": axes[0]}, "range": [low[0], high[0]], "zeroline": False},
        yaxis={
            "title": {"text": axes[1]},
            "range": [low[1], high[1]],
            "zeroline": False,
            "scaleanchor": "x",
        },
    )
    # Room for labels and for the legend on a phone: Plotly would find it by drawing all points
    # twice.
    entries = sum(label_width([trace["name"]]) + _LEGEND_MARK for trace in traces)
    bottom = 62 + 20 * ceil(entries / _PHONE)
    figure.update_layout(
        height=_PLOT + MENU + bottom,
        margin={"l": 64, "r": 12, "t": MENU, "b": bottom, "autoexpand": False},
    )
    return figure


def _trace(
    points: NDArray[np.float32],
    places: list[int],
    texts: Sequence[str],
    name: str,
    number: int | None,
) -> dict[str, Any]:
    shown, few = label(name, 40), len(points) <= FEW
    return {
        "type": "scatter",
        "mode": "markers",
        "x": points[places, 0],
        "y": points[places, 1],
        "name": shown,
        "customdata": [[place, label(texts[place], _LONGEST)] for place in places],
        "hovertemplate": f"%{{customdata[1]}}<extra>{shown}</extra>",
        "marker": {
            "color": MUTED if number is None else SENTENCES[number % len(SENTENCES)],
            # The second six have the colours of the first, with other shapes.
            "symbol": _SYMBOLS[0]
            if number is None
            else _SYMBOLS[(number + number // len(SENTENCES)) % len(_SYMBOLS)],
            "size": 11 if few else 7,
            "opacity": 0.85,
            # An outline takes a browser as long as the point.
            "line": {"width": 0.8 if few else 0, "color": "rgba(255, 255, 255, 0.7)"},
        },
        "unselected": {"marker": {"opacity": 0.25}},
    }


def _room(points: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low, high = points.min(axis=0).astype(np.float64), points.max(axis=0).astype(np.float64)
    margin = np.maximum((high - low).max() * 0.06, 1e-6)
    return low - margin, high + margin
