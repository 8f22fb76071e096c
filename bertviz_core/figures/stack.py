"""Embeddings as heatmaps: tokens down, dimensions across, red above zero and blue below."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Array
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
from bertviz_core.figures.drawing import Figure, Trace, draw, heatmap, panel_title
from bertviz_core.figures.raster import signed_png
from bertviz_core.figures.template import MENU

ROW, SMALLEST, LARGEST = 19, 76, 420  # pixels of a row; least and most of a panel
GAP, BOTTOM = 34, 44  # pixels above a panel for its title; below the last for the axis
# The same of panels side by side: they fill a screen together, and titles have two lines.
SHORT_ROW, SHORTEST, TWO_LINES = 6, 120, 56
BETWEEN = 0.02  # between two side by side, as a share of the width


@dataclass(frozen=True, eq=False)
class Panel:
    """One heatmap of a stack.

    Attributes:
        title: What it shows, perhaps with a sign of the sum before it: "+ position".
        values: float32 (seq_len, number of dimensions shown).
        limit: The value at which its colours saturate.
        color: Its colour on all pages.
    """

    title: str
    values: Array
    limit: float
    color: str = OUTPUT

    @property
    def name(self) -> str:
        """The title without a sign."""
        return self.title.lstrip("+= ")


def saturation_limit(values: Array) -> float:
    """Where a signed scale should end: the 99th percentile of the absolute values, above 0.

    A few outlier dimensions of BERT are many times larger than all others; a scale up to the
    largest would leave the rest white.

    Example:
        >>> round(saturation_limit(np.float32([-1, *range(100)])), 2)
        98.0
    """
    limit = float(np.quantile(np.abs(values), 0.99)) if values.size else 0.0
    return limit or float(np.abs(values).max(initial=0)) or 1.0


def embedding_stack(
    panels: Sequence[Panel],
    tokens: Sequence[str],
    dimensions: Sequence[int],
    *,
    first_token: int = 0,
    rows: Sequence[int] = (),
) -> Figure:
    """Draw several embeddings of the same tokens on one axis of tokens and one of dimensions.

    Up to 100,000 cells in all are drawn cell by cell with their values on hover; beyond, each
    panel is a picture with true axes (see `is_picture`).

    Args:
        panels: At least one, each (len(tokens), len(dimensions)).
        tokens: Labels of the rows.
        dimensions: Labels of the columns: consecutive numbers, or any order.
        first_token: Position of the first row, for its label.
        rows: How many panels are side by side in each row; one above the other unless given.

    Returns:
        The figure; zooming one panel zooms all.

    Raises:
        ValueError: A panel has another shape than the labels say.

    Example:
        >>> panel = Panel("sum", np.float32([[1, -2, 3]]), limit=3)
        >>> embedding_stack([panel], ["python"], range(3)).data[0].z.shape
        (1, 3)
    """
    shape = (len(tokens), len(dimensions))
    for panel in panels:
        if panel.values.shape != shape:
            raise ValueError(
                f"panel {panel.title!r} has shape {panel.values.shape}, labels {shape}"
            )
    beside = max(rows, default=1) > 1
    rows = rows or [1] * len(panels)
    row, smallest, gap = (SHORT_ROW, SHORTEST, TWO_LINES) if beside else (ROW, SMALLEST, GAP)
    height = int(np.clip(shape[0] * row, smallest, LARGEST))
    total = len(rows) * (height + gap) + BOTTOM
    trace = _picture if is_picture(panels) else _cells
    consecutive = list(dimensions) == list(range(dimensions[0], dimensions[0] + shape[1]))
    left = dimensions[0] if consecutive else 0
    names = numbered(tokens, first_token)
    across = _dimension_axis(dimensions, consecutive, left, MOST_NAMED // max(rows))
    down = named_rows(
        names,
        max(height // (12 if beside else 14), 1),
        # Plotly would make the pixels of a picture square.
        scaleanchor=False,
        constrain="range",
        automargin=False,
        ticklabelstandoff=6,
    )
    layout: dict[str, Any] = {}
    traces, titles = [], []
    for panel, (number, in_row, first, span) in zip(panels, _cells_of(rows), strict=True):
        top = 1 - (in_row * (height + gap) + gap) / (total - BOTTOM)
        bottom = max(top - height / (total - BOTTOM), 0.0)
        axis = suffix(number)
        x = axis if beside else ""
        traces.append(trace(panel, left) | {"xaxis": f"x{x}", "yaxis": f"y{axis}"})
        titles.append(_title(panel, top, span[0], short=beside))
        # All zoom together: a part of one panel is the same part of every other.
        layout[f"xaxis{x}"] = across | {"anchor": f"y{axis}", "domain": span}
        if x:
            layout[f"xaxis{x}"]["matches"] = "x"
        if in_row < len(rows) - 1 and beside:  # the last row's numbers are those of all
            layout[f"xaxis{x}"] |= {"showticklabels": False, "title": {"text": ""}}
        layout[f"yaxis{axis}"] = down | {
            "domain": [bottom, top],
            "anchor": f"x{x}" if beside or number == 1 else "free",
            "showticklabels": first,
        }
        if axis:
            layout[f"yaxis{axis}"]["matches"] = "y"
    # Room by estimate: with room that Plotly measures, five heatmaps take 1.8 times as long.
    margin = {"l": width_of(names), "b": BOTTOM, "pad": 0}
    return draw(
        traces, height=total + MENU, margin=margin, dragmode="zoom", annotations=titles, **layout
    )


def _cells_of(rows: Sequence[int]) -> Iterator[tuple[int, int, bool, list[float]]]:
    """Of each panel: its number from 1, its row, whether it is the row's first, its width."""
    number = 0
    for in_row, count in enumerate(rows):
        width = (1 - BETWEEN * (count - 1)) / count
        for column in range(count):
            number += 1
            start = column * (width + BETWEEN)
            yield number, in_row, column == 0, [start, min(start + width, 1.0)]


def is_picture(panels: Sequence[Panel]) -> bool:
    """Whether a stack has so many cells that it is drawn as pictures, without values on hover."""
    return sum(panel.values.size for panel in panels) > CELL_LIMIT


def signed_rows(values: Array, names: Sequence[str], limit: float) -> Figure:
    """Draw a few named rows of a table (rows, dimensions) on a scale symmetric around zero."""
    return draw(
        [_cells(Panel("", values, limit), 0) | {"showscale": True}],
        height=44 * len(names) + 130,
        xaxis=titled("dimension"),
        yaxis=named_rows([label(name) for name in names]),
    )


def _cells(panel: Panel, left: int) -> Trace:
    return heatmap(
        panel.values,
        f"%{{y}}, dimension %{{x}}<br>{panel.name} %{{z:.4f}}",
        DIVERGING_SCALE,
        (-panel.limit, panel.limit),
        x0=left,
        showscale=False,
        name=panel.name,
    )


def _picture(panel: Panel, left: int) -> Trace:
    return {
        "type": "image",
        "source": signed_png(panel.values, panel.limit),
        "x0": left,
        "name": panel.name,
        "hoverinfo": "skip",
    }


def _title(panel: Panel, top: float, left: float, *, short: bool) -> Trace:
    """A panel's name, its colour, and its scale: in eleven steps, or, short, its end.

    The scale is text: five colour bars take a browser as long as the five heatmaps.
    """
    name = f'<span style="color:{panel.color}">■</span> {panel.title}'
    if short:
        return panel_title(f"{name}<br>±{panel.limit:.2g}", y=top, x=left)
    scale = "".join(f'<span style="color:{color}">█</span>' for color in DIVERGING)
    scale = f"−{panel.limit:.2g} {scale} {panel.limit:.2g}"
    return panel_title(f'{name}   <span style="font-size:0.92em">{scale}</span>', y=top)


def _dimension_axis(dimensions: Sequence[int], consecutive: bool, left: int, most: int) -> Axis:
    span = {"range": [left - 0.5, left + len(dimensions) - 0.5], "automargin": False}
    if consecutive:
        return titled("dimension") | span
    names = [str(dimension) for dimension in dimensions]
    return titled("dimension") | named(names, most, tickangle=-90) | span
