"""How far two groups of occurrences are apart, layer by layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import layers as layer_axis
from bertviz_core.figures.axes import suffix
from bertviz_core.figures.colors import MUTED, TOKEN, faint
from bertviz_core.figures.drawing import (
    Figure,
    Trace,
    band,
    draw,
    line,
    panel_title,
    vertical_line,
)

HEIGHT = 480  # pixels
_UPPER, _LOWER = (0.56, 0.95), (0.0, 0.39)  # of the height
_SPACE = 0.08  # above and below the curves, of their range
Numbers = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class ShiftCurve:
    """A measure of shift over the layers; all arrays are (layers,).

    Attributes:
        name: "average pairwise distance".
        values: The measure.
        interval: Lower and upper ends of its 95% interval.
        chance: Lower and upper ends of what groups made at random reach.
    """

    name: str
    values: Numbers
    interval: tuple[Numbers, Numbers]
    chance: tuple[Numbers, Numbers]


def shift_by_layer(
    curves: tuple[ShiftCurve, ShiftCurve], layers: Sequence[int], *, layer: int
) -> Figure:
    """Draw two measures of shift over the layers, each with its interval and what chance does.

    Args:
        curves: The upper and the lower panel.
        layers: Numbers of the layers, rising; 0 is the input embedding.
        layer: The layer in view, marked by a vertical line.

    Returns:
        Two panels with one horizontal axis; in each a band of the interval, a grey one of chance,
        and the curve, whose points are full where they lie above chance.

    Raises:
        ValueError: There is not one number a layer, or the layer in view is none of them.
    """
    for curve in curves:
        for values in (curve.values, *curve.interval, *curve.chance):
            if values.shape != (len(layers),):
                raise ValueError(f"{curve.name} has shape {values.shape}, layers {(len(layers),)}")
    if layer not in layers:
        raise ValueError(f"layer {layer} is none of {list(layers)}")
    x = np.array(layers, np.float32)
    traces: list[Trace] = []
    for number, curve in enumerate(curves, start=1):
        drawn = (
            _between(x, curve.interval, "95% interval", faint(TOKEN, 0.22)),
            _between(x, curve.chance, "groups made at random", faint(MUTED, 0.5)),
            _curve(x, curve),
        )
        own = {"yaxis": f"y{suffix(number)}", "showlegend": number == 1}
        traces += [trace | own for trace in drawn]
    scales = [
        {"domain": domain, "range": _range(curve), "tickformat": ".2f", "nticks": 6}
        for domain, curve in zip((_UPPER, _LOWER), curves, strict=True)
    ]
    return draw(
        traces,
        height=HEIGHT,
        legend=True,
        annotations=[
            panel_title(f"<b>{curve.name}</b>", y=domain[1])
            for curve, domain in zip(curves, (_UPPER, _LOWER), strict=True)
        ],
        shapes=[vertical_line(layer) | {"yref": "paper", "y0": 0, "y1": _UPPER[1]}],
        xaxis=layer_axis(numbers=layers, anchor="y2"),
        yaxis=scales[0],
        yaxis2=scales[1],
    )


def _between(x: Numbers, ends: tuple[Numbers, Numbers], name: str, color: str) -> Trace:
    """A band over the layers at which both ends are finite."""
    low, high = map(_finite, ends)
    kept = np.isfinite(low) & np.isfinite(high)
    return band(x[kept], low[kept], high[kept], name, color)


def _curve(x: Numbers, curve: ShiftCurve) -> Trace:
    """The measure itself, with all its numbers under the pointer."""
    more = [*curve.interval, *curve.chance]
    hover = (
        f"layer %{{x}}<br>{curve.name} %{{y:.3f}}"
        "<br>95% interval %{customdata[0]:.3f} to %{customdata[1]:.3f}"
        "<br>at random %{customdata[2]:.3f} to %{customdata[3]:.3f}"
    )
    values = np.stack([_finite(each) for each in more], axis=1)
    above = curve.values > curve.chance[1]
    marker = {
        "color": TOKEN,
        "size": 9,
        "symbol": ["circle" if each else "circle-open" for each in above],
        "line": {"width": 2, "color": TOKEN},
    }
    name = "measured (full: above random groups)"
    return line(x, _finite(curve.values), name, hover, marker=marker, customdata=values)


def _finite(values: Numbers) -> Numbers:
    """What a chart can show: a measure that is infinite leaves a gap."""
    return np.where(np.isfinite(values), values, np.nan).astype(np.float32)


def _range(curve: ShiftCurve) -> list[float]:
    shown = np.concatenate([_finite(e) for e in (curve.values, *curve.interval, *curve.chance)])
    if np.isnan(shown).all():
        return [0.0, 1.0]
    low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
    space = max(high - low, 0.01) * _SPACE
    return [low - space, high + space]
