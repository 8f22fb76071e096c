"""Scores of every dimension, with those marked that stand apart."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact
from bertviz_core.figures.colors import MUTED, SENTENCES

APART = SENTENCES[1]


def dimension_scores(
    scores: Mapping[str, NDArray[np.float32]], marked: Sequence[int], *, threshold: float
) -> go.Figure:
    """Draw one panel a kind of score, dimensions across, with lines at the threshold.

    Args:
        scores: Name and float32 (hidden_size,) of each panel, in standard deviations.
        marked: The dimensions to mark by colour and number, in every panel.
        threshold: Where the lines stand, on both sides of zero.

    Returns:
        The panels, one above the other, on one dimension axis.

    Raises:
        ValueError: There is no panel, or their lengths differ.
    """
    shapes = {values.shape for values in scores.values()}
    if len(shapes) != 1:
        raise ValueError(f"scores have shapes {sorted(shapes)}, expected one shape")
    (size,) = next(iter(shapes))
    step = 1 / len(scores)
    few = np.array(marked, dtype=np.int64)
    rest = np.setdiff1d(np.arange(size), few)
    traces: list[dict[str, Any]] = []
    titles: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for number, (name, values) in enumerate(scores.items()):
        axis = "" if number == 0 else str(number + 1)
        bottom = 1 - (number + 1) * step
        top = bottom + step * 0.74
        traces += [
            _dots(rest, values, name, f"y{axis}", MUTED, 4),
            _dots(few, values, name, f"y{axis}", APART, 9)
            | {
                "mode": "markers+text",
                "text": [str(d) for d in few],
                "textposition": "middle right",
            },
        ]
        titles.append(
            {
                "text": f"<b>{name}</b>",
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": top,
                "yref": "paper",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 13},
            }
        )
        lines += [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "yref": f"y{axis}",
                "y0": limit,
                "y1": limit,
                "line": {"color": MUTED, "width": 1, "dash": "dash"},
            }
            for limit in (-threshold, threshold)
        ]
        reach = max(float(np.abs(values).max(initial=0)), threshold) * 1.15
        axes[f"yaxis{axis}"] = {"domain": [bottom, top], "range": [-reach, reach], "nticks": 5}
    layout = axes | {
        "showlegend": False,
        "annotations": titles,
        "shapes": lines,
        "xaxis": {
            "title": {"text": "dimension"},
            "range": [-size * 0.02, size * 1.05],
            "anchor": f"y{len(scores)}" if len(scores) > 1 else "y",
            "showgrid": False,
            "zeroline": False,
        },
    }
    return compact(go.Figure({"data": traces, "layout": layout}), 180 * len(scores) + 60)


def _dots(
    places: NDArray[np.int64],
    values: NDArray[np.float32],
    name: str,
    axis: str,
    color: str,
    size: int,
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": places,
        "y": values[places],
        "yaxis": axis,
        "name": name,
        "marker": {"color": color, "size": size, "line": {"width": 0}},
        "hovertemplate": "dimension %{x}<br>%{y:.2f} standard deviations<extra>"
        + name
        + "</extra>",
    }
