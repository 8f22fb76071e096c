"""Curves over positions, distances or layers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import Axis, titled
from bertviz_core.figures.colors import faint
from bertviz_core.figures.drawing import Figure, Trace, band, draw, line, marks, vertical_line


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a chart.

    Attributes:
        name: For the legend.
        values: float32 (n,).
        color: Its colour everywhere.
        dash: "solid", "dash", "dot" or "dashdot": curves differ by more than colour.
    """

    name: str
    values: Array
    color: str
    dash: str = "solid"


def curves_over(
    curves: Sequence[Curve],
    *,
    across: str,
    up: str,
    marked: Sequence[int] = (),
    line_at: int | None = None,
    height: int = 320,
    axis: Axis | None = None,
    from_zero: bool = False,
) -> Figure:
    """Draw curves over whole numbers from 0 on, with dots on the first one where `marked`."""
    traces = _lines(curves, 0, across)
    if marked:
        at = np.array(marked)
        marker = {"color": curves[0].color, "size": 8}
        traces.append(marks(at, curves[0].values[at], marker, showlegend=False))
    return draw(
        traces,
        height=height,
        legend=len(curves) > 1,
        shapes=[] if line_at is None else [vertical_line(line_at)],
        xaxis=titled(across) | (axis or {}),
        yaxis=titled(up, **({"rangemode": "tozero"} if from_zero else {})),
    )


def distance_curves(curves: Sequence[Curve], low: Array, high: Array) -> Figure:
    """Draw mean cosines by distance, with the spread of the first curve as a band.

    Args:
        curves: At least one, each (n - 1,), for the distances 1 to n - 1.
        low: float32 (n - 1,), lower edge of the band.
        high: float32 (n - 1,), its upper edge.

    Returns:
        A line chart over the distance.

    Raises:
        ValueError: Curves and band differ in length.

    Example:
        >>> mean = np.float32([0.75, 0.5])
        >>> figure = distance_curves([Curve("mean", mean, "#E69F00")], mean - 0.25, mean + 0.25)
        >>> figure.data[0].y.tolist()
        [0.75, 0.5]
    """
    if {low.shape, high.shape} != {curves[0].values.shape}:
        raise ValueError(
            f"the band has shapes {low.shape} and {high.shape}, the curve {curves[0].values.shape}"
        )
    across = "distance of the positions, |i − j|"
    spread = band(
        np.arange(1, len(low) + 1),
        low,
        high,
        "10th to 90th percentile of the pairs",
        faint(curves[0].color, 0.22),
    )
    return draw(
        [*_lines(curves, 1, across), spread],
        height=320,
        legend=True,
        xaxis=titled(across),
        yaxis=titled("mean cosine similarity"),
    )


def _lines(curves: Sequence[Curve], first: int, across: str) -> list[Trace]:
    shapes = [curve.values.shape for curve in curves]
    if len(set(shapes)) != 1:
        raise ValueError(f"curves have shapes {shapes}")
    return [
        line(
            np.arange(first, first + len(curve.values)),
            curve.values,
            curve.name,
            f"{across} %{{x}}<br>%{{y:.3f}}",
            mode="lines",
            line={"color": curve.color, "dash": curve.dash, "width": 2},
        )
        for curve in curves
    ]
