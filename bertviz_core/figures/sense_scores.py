"""A score over the layers: how well each separates the senses of a word."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import layers, titled
from bertviz_core.figures.colors import MUTED, TOKEN, faint
from bertviz_core.figures.drawing import Figure, Trace, band, draw, line, vertical_line

HEIGHT = 330  # pixels
LOW, FULL = 0.4, 1.08  # ends of the axis: below chance, and above 1 with room for a star


def layer_scores(
    scores: Array,
    *,
    score_name: str,
    best: Sequence[int],
    layer: int,
    numbers: Sequence[int] | None = None,
    interval: tuple[Array, Array] | None = None,
    chance: tuple[Array, float] | None = None,
) -> Figure:
    """Draw a score over the layers.

    Args:
        scores: float32 (layers,); NaN where a layer has none.
        score_name: For the vertical axis.
        best: Numbers of the layers to mark by a larger point.
        layer: Number of the layer in view, marked by a vertical line.
        numbers: Of the layers, rising; from 0 (input embedding) to the last if left out.
        interval: Lower and upper ends (layers,), drawn as a band.
        chance: What chance reaches at each layer (layers,), drawn as a dashed curve, and at the
            best layer, drawn as a dotted line.

    Returns:
        A line chart with one point a layer; the score is its last trace.

    Raises:
        ValueError: There is not one score a layer, or a layer lies outside them.

    Example:
        >>> figure = layer_scores(np.float32([0.5, 0.75]), score_name="AUC", best=[1], layer=1)
        >>> figure.data[-1].y.tolist()
        [0.5, 0.75]
    """
    numbers = range(len(scores)) if numbers is None else numbers
    if scores.shape != (len(numbers),) or not {*best, layer} <= {*numbers}:
        raise ValueError(f"scores have shape {scores.shape}, layers are {[*best, layer]}")
    x = np.array(numbers)
    traces: list[Trace] = []
    if interval is not None:
        traces.append(band(x, *interval, "95% interval", faint(TOKEN, 0.18)))
    if chance is not None:
        by_layer, of_best = chance
        for y, name, dash in (
            (by_layer, "shuffled labels, this layer", "dash"),
            (np.full(len(x), of_best), "shuffled labels, best layer", "dot"),
        ):
            look = {"color": MUTED, "width": 1.8, "dash": dash}
            hover = f"layer %{{x}}<br>{name}: 95% stay below %{{y:.3f}}"
            traces.append(line(x, y, name, hover, mode="lines", line=look))
    marked = np.isin(x, np.array(best, dtype=int))
    marker = {
        "color": TOKEN,
        "size": np.where(marked, 15, 7).tolist(),
        "symbol": ["star" if mark else "circle" for mark in marked],
        "opacity": 1,
    }
    hover = f"layer %{{x}}<br>{score_name} %{{y:.3f}}"
    traces.append(line(x, scores, score_name, hover, marker=marker))
    curves = [scores, *(interval or ()), *(chance[:1] if chance else ())]
    low = min(float(np.nanmin(curve, initial=1.0)) - 0.03 for curve in curves)
    return draw(
        traces,
        height=HEIGHT if len(traces) == 1 else HEIGHT + 70,
        legend=len(traces) > 1,
        shapes=[vertical_line(layer)],
        xaxis=layers(numbers=numbers),
        yaxis=titled(score_name, tickformat=".2f", range=[min(LOW, low), FULL]),
    )
