"""Scores of every dimension, with those marked that stand apart."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import suffix, titled
from bertviz_core.figures.colors import MARK, MUTED
from bertviz_core.figures.drawing import Figure, Trace, draw, horizontal_line, panel_title


def dimension_scores(
    scores: Mapping[str, NDArray[np.float32]], marked: Sequence[int], *, threshold: float
) -> Figure:
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
    numbers = {
        "mode": "markers+text",
        "text": [str(dimension) for dimension in marked],
        "textposition": "middle right",
    }
    traces, titles, lines = [], [], []
    layout: dict[str, Any] = {
        "xaxis": titled(
            "dimension", range=[-size * 0.02, size * 1.05], anchor=f"y{suffix(len(scores))}"
        )
    }
    for number, (name, values) in enumerate(scores.items(), start=1):
        axis = suffix(number)
        bottom = 1 - number * step
        top = bottom + step * 0.74
        reach = max(float(np.abs(values).max(initial=0)), threshold) * 1.15
        traces += [
            _dots(rest, values, name, f"y{axis}", MUTED, 4),
            _dots(few, values, name, f"y{axis}", MARK, 9) | numbers,
        ]
        titles.append(panel_title(f"<b>{name}</b>", y=top))
        lines += [horizontal_line(y, 1, "dash", f"y{axis}") for y in (-threshold, threshold)]
        layout[f"yaxis{axis}"] = {
            "domain": [bottom, top],
            "range": [-reach, reach],
            "nticks": 5,
            "zeroline": True,
        }
    return draw(traces, height=180 * len(scores) + 60, annotations=titles, shapes=lines, **layout)


def _dots(
    dimensions: NDArray[np.int64],
    values: NDArray[np.float32],
    name: str,
    axis: str,
    color: str,
    size: int,
) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": dimensions,
        "y": values[dimensions],
        "yaxis": axis,
        "name": name,
        "marker": {"color": color, "size": size},
        "hovertemplate": f"dimension %{{x}}<br>%{{y:.2f}} standard deviations<extra>{name}</extra>",
    }
