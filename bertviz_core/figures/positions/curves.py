"""Numbers that run along positions or distances, as curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, label
from bertviz_core.figures.colors import MUTED

Array = NDArray[np.float32]
WIDTHS = {"solid": 2.0, "dash": 1.8, "dot": 1.8}


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a chart.

    Attributes:
        name: For the legend.
        values: float32 (n,).
        color: The colour that stands for it everywhere.
        dash: "solid", "dash" or "dot": curves differ by more than colour.
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
    first: int = 0,
    marked: Sequence[int] = (),
    line_at: int | None = None,
    doubling: bool = False,
    height: int = 320,
) -> go.Figure:
    """Draw curves over 0, 1, 2, ...: positions, distances, numbers of patterns.

    Args:
        curves: At least one; all of one length.
        across: What the horizontal axis counts: "position".
        up: What the values are: "cosine similarity".
        first: Number of the first value.
        marked: Numbers at which the first curve gets a dot.
        line_at: A number to mark by a vertical line.
        doubling: Whether each doubling takes equal room on the horizontal axis.
        height: In pixels.

    Returns:
        A line chart; with more than one curve it has a legend.

    Raises:
        ValueError: The curves differ in length.
    """
    lengths = [curve.values.shape for curve in curves]
    if len(set(lengths)) != 1:
        raise ValueError(f"curves have shapes {lengths}")
    at = np.arange(first, first + lengths[0][0])
    figure = go.Figure()
    for curve in curves:
        figure.add_trace(_line(curve, at, across))
    if marked:
        places = np.array(marked)
        figure.add_trace(
            go.Scatter(
                x=places,
                y=curves[0].values[places - first],
                mode="markers",
                marker={"color": curves[0].color, "size": 8, "line_width": 1},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    if line_at is not None:
        figure.add_vline(x=line_at, line_color=MUTED, line_width=1.5, line_dash="dot")
    figure.update_xaxes(title_text=across, zeroline=False)
    if doubling:
        figure.update_xaxes(type="log", dtick="D2")
    figure.update_yaxes(title_text=up, zeroline=False)
    return _with_legend(compact(figure, height), len(curves))


def distance_curves(
    curves: Sequence[Curve], low: Array, high: Array, *, height: int = 320
) -> go.Figure:
    """Draw mean cosines by distance, with the spread of the first curve as a band.

    Args:
        curves: At least one, each (n - 1,), for the distances 1 to n - 1.
        low: float32 (n - 1,), lower edge of the band.
        high: float32 (n - 1,), its upper edge.
        height: In pixels.

    Returns:
        A line chart over the distance.

    Raises:
        ValueError: Curves and band differ in length.
    """
    if {low.shape, high.shape} != {curves[0].values.shape}:
        raise ValueError(
            f"the band has shapes {low.shape} and {high.shape}, the curve {curves[0].values.shape}"
        )
    figure = curves_over(
        curves,
        across="distance of the positions, |i − j|",
        up="mean cosine similarity",
        first=1,
        height=height,
    )
    at = np.arange(1, len(low) + 1)
    edge: dict[str, Any] = {"mode": "lines", "line_width": 0, "hoverinfo": "skip"}
    band = go.Scatter(
        x=np.concatenate([at, at[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        fill="toself",
        fillcolor=_faint(curves[0].color),
        name="10th to 90th percentile of the pairs",
        **edge,
    )
    figure.add_trace(band)
    return _with_legend(figure, 2)


def _line(curve: Curve, at: NDArray[np.int64], across: str) -> go.Scatter:
    name = label(curve.name, 60)
    return go.Scatter(
        x=at,
        y=curve.values,
        mode="lines",
        name=name,
        line={"color": curve.color, "dash": curve.dash, "width": WIDTHS[curve.dash]},
        hovertemplate=f"{across} %{{x}}<br>%{{y:.3f}}<extra>{name}</extra>",
    )


def _with_legend(figure: go.Figure, count: int) -> go.Figure:
    return figure.update_layout(
        showlegend=count > 1,
        # Below the axis and its title: the chart's menu lies above.
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": -64 / (figure.layout.height - 100),
            "yanchor": "top",
        },
    )


def _faint(color: str) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.22)"
