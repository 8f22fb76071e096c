"""Embeddings as heatmaps: tokens down, dimensions across, red above zero and blue below."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import (
    CELL_LIMIT,
    MOST_NAMED,
    Axis,
    label,
    named,
    named_rows,
    numbered,
    suffix,
    titled,
    width_of,
)
from bertviz_core.figures.colors import DIVERGING, DIVERGING_SCALE, OUTPUT
from bertviz_core.figures.drawing import Figure, Trace, draw, panel_title
from bertviz_core.figures.raster import signed_png
from bertviz_core.figures.template import MENU

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


def embedding_stack(
    panels: Sequence[Panel],
    tokens: Sequence[str],
    dimensions: Sequence[int],
    *,
    first_token: int = 0,
) -> Figure:
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
    trace = _picture if is_picture(panels) else _cells
    consecutive = list(dimensions) == list(range(dimensions[0], dimensions[0] + shape[1]))
    left = dimensions[0] if consecutive else 0
    names = numbered(tokens, first_token)
    rows = named_rows(
        names,
        max(height // 14, 1),
        # Plotly would make the pixels of a picture square.
        scaleanchor=False,
        constrain="range",
        automargin=False,
        ticklabelstandoff=6,
    )
    layout: dict[str, Any] = {
        "xaxis": _dimension_axis(dimensions, consecutive, left)
        | {"anchor": f"y{suffix(len(panels))}"}
    }
    traces, titles = [], []
    for number, panel in enumerate(panels, start=1):
        top = 1 - ((number - 1) * (height + GAP) + GAP) / (total - BOTTOM)
        bottom = max(top - height / (total - BOTTOM), 0.0)
        axis = suffix(number)
        traces.append(trace(panel, left) | {"xaxis": "x", "yaxis": f"y{axis}"})
        titles.append(_title(panel, top))
        layout[f"yaxis{axis}"] = rows | {
            "domain": [bottom, top],
            "anchor": "x" if number == 1 else "free",
        }
    # Room by estimate: with room that Plotly measures, five heatmaps take 1.8 times as long.
    margin = {"l": width_of(names), "b": BOTTOM, "pad": 0}
    return draw(
        traces,
        height=total + MENU,
        margin=margin,
        dragmode="zoom",
        annotations=titles,
        **layout,
    )


def is_picture(panels: Sequence[Panel]) -> bool:
    """Whether a stack has so many cells that it is drawn as pictures, without values on hover."""
    return sum(panel.values.size for panel in panels) > CELL_LIMIT


def signed_rows(values: Array, names: Sequence[str], limit: float) -> Figure:
    """Draw a few named rows of a table over all dimensions.

    Args:
        values: float32 (rows, dimensions).
        names: One a row.
        limit: The value, above 0, at which the colours saturate.

    Returns:
        A heatmap on a scale symmetric around zero.

    Raises:
        ValueError: There is not one row a name.
    """
    if values.ndim != 2 or len(values) != len(names):
        raise ValueError(f"values have shape {values.shape}, names {(len(names),)}")
    return draw(
        [_cells(Panel("", values, limit), 0) | {"showscale": True}],
        height=44 * len(names) + 130,
        xaxis=titled("dimension"),
        yaxis=named_rows([label(name) for name in names]),
    )


def _cells(panel: Panel, left: int) -> Trace:
    return {
        "type": "heatmap",
        "z": np.ascontiguousarray(panel.values, dtype=np.float32),
        "x0": left,
        "dx": 1,
        "zmin": -panel.limit,
        "zmax": panel.limit,
        "colorscale": DIVERGING_SCALE,
        "showscale": False,
        "name": panel.title,
        "hovertemplate": f"%{{y}}<br>dimension %{{x}}<br>%{{z:.4f}}<extra>{panel.title}</extra>",
    }


def _picture(panel: Panel, left: int) -> Trace:
    return {
        "type": "image",
        "source": signed_png(panel.values, panel.limit),
        "x0": left,
        "dx": 1,
        "name": panel.title,
        "hoverinfo": "skip",
    }


def _title(panel: Panel, top: float) -> Trace:
    """A panel's name, its colour, and its scale in eleven steps.

    The scale is text: five colour bars take a browser as long as the five heatmaps.
    """
    scale = "".join(f'<span style="color:{color}">█</span>' for color in DIVERGING)
    return panel_title(
        f'<span style="color:{panel.color}">■</span> {panel.title}'
        f'   <span style="font-size:0.77em">−{panel.limit:.2g} {scale} {panel.limit:.2g}</span>',
        y=top,
    )


def _dimension_axis(dimensions: Sequence[int], consecutive: bool, left: int) -> Axis:
    span = {"range": [left - 0.5, left + len(dimensions) - 0.5], "automargin": False}
    if consecutive:
        return titled("dimension") | span
    names = [str(dimension) for dimension in dimensions]
    return titled("dimension") | named(names, MOST_NAMED, tickangle=-90) | span
