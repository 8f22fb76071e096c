"""Embeddings as heatmaps: tokens down, dimensions across, red above zero and blue below."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import CELL_LIMIT, MENU, compact, numbered, thinned
from bertviz_core.figures.colors import OUTPUT, diverging_scale
from bertviz_core.figures.raster import signed_png

Array = NDArray[np.float32]
ROW, SMALLEST, LARGEST = 19, 76, 420  # pixels of a row; least and most of a panel
GAP, BOTTOM = 34, 44  # pixels above a panel for its title; below the last for the axis


@dataclass(frozen=True, eq=False)
class Panel:
    """One heatmap of a stack.

    Attributes:
        title: What it shows.
        values: float32 (seq_len, number of dimensions shown).
        limit: The value at which its colours saturate.
        color: The colour that stands for it everywhere.
    """

    title: str
    values: Array
    limit: float
    color: str = OUTPUT


def saturation_limit(values: Array) -> float:
    """Where a signed scale should end: the 99th percentile of the absolute values, above 0.

    A few outlier dimensions of BERT are many times larger than all others; a scale up to the
    largest would leave the rest white.
    """
    limit = float(np.quantile(np.abs(values), 0.99)) if values.size else 0.0
    return limit or float(np.abs(values).max(initial=0)) or 1.0


def embedding_heatmap(values: Array, tokens: Sequence[str], *, title: str) -> go.Figure:
    """Draw one embedding of every token over all dimensions.

    Args:
        values: float32 (seq_len, hidden_size).
        tokens: seq_len labels.
        title: What is shown.

    Returns:
        A figure with one heatmap on a scale symmetric around zero.

    Raises:
        ValueError: `values` has not one row a token.
    """
    panel = Panel(title, values, saturation_limit(values))
    return embedding_stack([panel], tokens, range(values.shape[-1]))


def embedding_stack(
    panels: Sequence[Panel],
    tokens: Sequence[str],
    dimensions: Sequence[int],
    *,
    first_token: int = 0,
) -> go.Figure:
    """Draw several embeddings of the same tokens one above the other, on one dimension axis.

    Up to 100,000 cells in all are drawn cell by cell with their values on hover; beyond, each
    panel is a picture with true axes (see `is_picture`).

    Args:
        panels: At least one, each (len(tokens), len(dimensions)).
        tokens: Labels of the rows.
        dimensions: Labels of the columns: consecutive numbers, or any order.
        first_token: Position of the first row, for its label.

    Returns:
        The figure; zooming one panel zooms all.

    Raises:
        ValueError: A panel has another shape than the labels say.
    """
    shape = (len(tokens), len(dimensions))
    for panel in panels:
        if panel.values.shape != shape:
            raise ValueError(
                f"panel {panel.title!r} has shape {panel.values.shape}, labels {shape}"
            )
    height = int(np.clip(shape[0] * ROW, SMALLEST, LARGEST))
    total = len(panels) * (height + GAP) + BOTTOM
    picture = is_picture(panels)
    consecutive = list(dimensions) == list(range(dimensions[0], dimensions[0] + shape[1]))
    left = dimensions[0] if consecutive else 0
    figure = go.Figure()
    for number, panel in enumerate(panels):
        top = 1 - (number * (height + GAP) + GAP) / (total - BOTTOM)
        bottom = max(top - height / (total - BOTTOM), 0.0)
        axis = "" if number == 0 else str(number + 1)
        place = {"xaxis": "x", "yaxis": f"y{axis}"}
        figure.add_trace(
            _picture(panel, left, place)
            if picture
            else _cells(panel, left, place, (top + bottom) / 2, height)
        )
        if picture:
            figure.add_trace(_scale_only(panel, left, place, (top + bottom) / 2, height))
        figure.add_annotation(
            text=f'<span style="color:{panel.color}">■</span> {panel.title}',
            x=0, xref="paper", xanchor="left",
            y=top, yref="paper", yanchor="bottom",
            showarrow=False, font_size=13, align="left",
        )  # fmt: skip
        figure.update_layout({f"yaxis{axis}": _token_axis(tokens, first_token, height)})
        figure.update_layout(
            {f"yaxis{axis}": {"domain": [bottom, top], "anchor": "x" if number == 0 else "free"}}
        )
    figure.update_xaxes(
        title_text="dimension",
        range=[left - 0.5, left + shape[1] - 0.5],
        anchor=f"y{len(panels)}" if len(panels) > 1 else "y",
        showgrid=False,
        zeroline=False,
        **({} if consecutive else _dimension_ticks(dimensions)),
    )
    return compact(figure, total + MENU).update_layout(margin_b=BOTTOM, dragmode="zoom")


def is_picture(panels: Sequence[Panel]) -> bool:
    """Whether a stack has so many cells that it is drawn as pictures, without values on hover."""
    return sum(panel.values.size for panel in panels) > CELL_LIMIT


def _cells(
    panel: Panel, left: int, place: dict[str, str], middle: float, height: int
) -> go.Heatmap:
    return go.Heatmap(
        z=np.ascontiguousarray(panel.values, dtype=np.float32),
        x0=left,
        dx=1,
        zmin=-panel.limit,
        zmax=panel.limit,
        colorscale=diverging_scale(),
        colorbar=_color_bar(panel, middle, height),
        name=panel.title,
        hovertemplate="%{y}<br>dimension %{x}<br>%{z:.4f}<extra>" + panel.title + "</extra>",
        **place,
    )


def _picture(panel: Panel, left: int, place: dict[str, str]) -> go.Image:
    return go.Image(
        source=signed_png(panel.values, panel.limit),
        x0=left,
        dx=1,
        name=panel.title,
        hoverinfo="skip",
        **place,
    )


def _scale_only(
    panel: Panel, left: int, place: dict[str, str], middle: float, height: int
) -> go.Scatter:
    """An unseen point that brings the colour bar a picture lacks."""
    return go.Scatter(
        x=[left],
        y=[0],
        mode="markers",
        marker={
            "color": [0],
            "cmin": -panel.limit,
            "cmax": panel.limit,
            "colorscale": diverging_scale(),
            "colorbar": _color_bar(panel, middle, height),
            "size": 1,
            "opacity": 0,
        },
        hoverinfo="skip",
        showlegend=False,
        **place,
    )


def _color_bar(panel: Panel, middle: float, height: int) -> dict[str, object]:
    return {
        "thickness": 8,
        "len": height,
        "lenmode": "pixels",
        "y": middle,
        "yanchor": "middle",
        "xpad": 4,
        "ypad": 0,
        "outlinewidth": 0,
        "tickvals": [-panel.limit, 0, panel.limit],
        "ticktext": [f"−{panel.limit:.2g}", "0", f"{panel.limit:.2g}"],
        "tickfont_size": 10,
    }


def _token_axis(tokens: Sequence[str], first: int, height: int) -> dict[str, object]:
    names = numbered(tokens, first)
    places = thinned(len(tokens), max(height // 14, 1))
    return {
        "range": [len(tokens) - 0.5, -0.5],
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [names[i] for i in places],
        "tickfont_size": 11,
        "ticklabelstandoff": 4,
        "showgrid": False,
        "zeroline": False,
        "scaleanchor": False,
        "constrain": "range",
        "fixedrange": False,
    }


def _dimension_ticks(dimensions: Sequence[int]) -> dict[str, object]:
    places = thinned(len(dimensions), 64)
    return {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [str(dimensions[i]) for i in places],
        "tickangle": -90,
        "tickfont_size": 10,
    }
