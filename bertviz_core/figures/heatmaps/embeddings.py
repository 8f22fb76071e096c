"""Embeddings as heatmaps: tokens down, dimensions across, red above zero and blue below."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import CELL_LIMIT, MENU, label_width, numbered, thinned
from bertviz_core.figures.colors import DIVERGING, OUTPUT, diverging_scale
from bertviz_core.figures.heatmaps.raster import signed_png

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
    drawn = _picture if is_picture(panels) else _cells
    consecutive = list(dimensions) == list(range(dimensions[0], dimensions[0] + shape[1]))
    left = dimensions[0] if consecutive else 0
    names = numbered(tokens, first_token)
    token_axis = _token_axis(names, height)
    # One figure from plain values: adding traces and axes to it one by one takes 5 times as long.
    layout: dict[str, object] = {
        "height": total + MENU,
        "margin": {"l": label_width(names), "r": 12, "t": MENU, "b": BOTTOM},
        "dragmode": "zoom",
        "xaxis": _dimension_axis(dimensions, consecutive, left)
        | {"anchor": f"y{len(panels)}" if len(panels) > 1 else "y"},
    }
    traces, titles = [], []
    for number, panel in enumerate(panels):
        top = 1 - (number * (height + GAP) + GAP) / (total - BOTTOM)
        bottom = max(top - height / (total - BOTTOM), 0.0)
        axis = "" if number == 0 else str(number + 1)
        traces.append(drawn(panel, left) | {"xaxis": "x", "yaxis": f"y{axis}"})
        titles.append(_title(panel, top))
        layout[f"yaxis{axis}"] = token_axis | {
            "domain": [bottom, top],
            "anchor": "x" if number == 0 else "free",
        }
    return go.Figure({"data": traces, "layout": layout | {"annotations": titles}})


def is_picture(panels: Sequence[Panel]) -> bool:
    """Whether a stack has so many cells that it is drawn as pictures, without values on hover."""
    return sum(panel.values.size for panel in panels) > CELL_LIMIT


def _cells(panel: Panel, left: int) -> dict[str, object]:
    return {
        "type": "heatmap",
        "z": np.ascontiguousarray(panel.values, dtype=np.float32),
        "x0": left,
        "dx": 1,
        "zmin": -panel.limit,
        "zmax": panel.limit,
        "colorscale": diverging_scale(),
        "showscale": False,
        "name": panel.title,
        "hovertemplate": "%{y}<br>dimension %{x}<br>%{z:.4f}<extra>" + panel.title + "</extra>",
    }


def _picture(panel: Panel, left: int) -> dict[str, object]:
    return {
        "type": "image",
        "source": signed_png(panel.values, panel.limit),
        "x0": left,
        "dx": 1,
        "name": panel.title,
        "hoverinfo": "skip",
    }


def _title(panel: Panel, top: float) -> dict[str, object]:
    """A panel's name, its colour, and its scale in eleven steps.

    The scale is text: five colour bars take a browser as long as the five heatmaps.
    """
    steps = "".join(f'<span style="color:{color}">█</span>' for color in DIVERGING)
    return {
        "text": f'<span style="color:{panel.color}">■</span> {panel.title}'
        f'   <span style="font-size:0.77em">−{panel.limit:.2g} {steps} {panel.limit:.2g}</span>',
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": top,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 13},
        "align": "left",
    }


def _token_axis(names: Sequence[str], height: int) -> dict[str, object]:
    places = thinned(len(names), max(height // 14, 1))
    return {
        "range": [len(names) - 0.5, -0.5],
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [names[i] for i in places],
        "tickfont": {"size": 11},
        "ticks": "",
        "ticklabelstandoff": 6,
        "ticklabeloverflow": "allow",
        "automargin": False,
        "showgrid": False,
        "zeroline": False,
        # Plotly would make the pixels of a picture square.
        "scaleanchor": False,
        "constrain": "range",
    }


def _dimension_axis(dimensions: Sequence[int], consecutive: bool, left: int) -> dict[str, object]:
    axis: dict[str, object] = {
        "title": {"text": "dimension"},
        "range": [left - 0.5, left + len(dimensions) - 0.5],
        "showgrid": False,
        "zeroline": False,
        "automargin": False,
    }
    if consecutive:
        return axis
    places = thinned(len(dimensions), 64)
    return axis | {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [str(dimensions[i]) for i in places],
        "tickangle": -90,
        "tickfont": {"size": 10},
    }
