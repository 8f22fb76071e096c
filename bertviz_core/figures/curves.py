"""Curves over the distance of two positions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import titled
from bertviz_core.figures.colors import faint
from bertviz_core.figures.drawing import Figure, band, draw, line


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
    shapes = {low.shape, high.shape, *(curve.values.shape for curve in curves)}
    if len(shapes) > 1:
        raise ValueError(f"curves and band have shapes {sorted(shapes)}")
    across = "distance of the positions, |i − j|"
    distances = np.arange(1, len(low) + 1)
    lines = [
        line(
            distances,
            curve.values,
            curve.name,
            f"{across} %{{x}}<br>%{{y:.3f}}",
            mode="lines",
            line={"color": curve.color, "dash": curve.dash, "width": 2},
        )
        for curve in curves
    ]
    shade = faint(curves[0].color, 0.22)
    spread = band(distances, low, high, "10th to 90th percentile of the pairs", shade)
    return draw(
        [*lines, spread],
        height=320,
        legend=True,
        xaxis=titled(across),
        yaxis=titled("mean cosine similarity"),
    )
