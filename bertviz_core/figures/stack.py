"""Embeddings as heatmaps: tokens down, dimensions across, red above zero and blue below."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import (
    MAX_CELLS,
    Axis,
    label,
    named,
    named_rows,
    numbered,
    titled,
    width_of,
)
from bertviz_core.figures.colors import DIVERGING_SCALE, OUTPUT
from bertviz_core.figures.drawing import Figure, Trace, buttons, draw, heatmap
from bertviz_core.figures.matrices import signed_png

# Pixels of a panel: a row is high enough for its name, and a panel for a title of three lines.
ROW, MIN_PANEL, MAX_PANEL = 12, 98, 192
MAX_NAMED = 16  # rows; of more tokens, some have no name
NAME, NAME_LARGE = 11, 8  # size of the names; a projector enlarges letters, but not the rows
GAP = 0.05  # between panels, as a share of their height
BOTTOM, TOP = 32, 4  # pixels below and above all panels
TITLES = 76  # pixels left of the names, for the titles
MAX_LETTERS = 14  # of a name, so that a phone has room for the picture


@dataclass(frozen=True, eq=False)
class Panel:
    """One heatmap of a stack.

    Attributes:
        title: What it shows, its last word on a line of its own: "+ position".
        values: float32 (seq_len, number of dimensions shown).
        limit: The value at which its colours saturate.
        color: Its colour on all pages.
    """

    title: str
    values: Array
    limit: float
    color: str = OUTPUT


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
    chosen: int | None = None,
    window: int = 0,
    large: bool = False,
) -> Figure:
    """Draw embeddings of the same tokens below each other, each dimension in one column.

    A number under the pointer is marked in all panels, each with its own number there. Up to
    100,000 cells in all are drawn one by one; of more, each panel is a picture with true axes,
    without numbers under the pointer.

    Args:
        panels: At least one, each (len(tokens), len(dimensions)).
        tokens: Labels of the rows.
        dimensions: Labels of the columns: consecutive numbers, or any order.
        first_token: Position of the first row, for its label.
        chosen: Row that is outlined in all panels, and always named.
        window: How many of more columns are seen at first; dragging moves them. 0 for all.
        large: Whether it is for a projector, where names stay as small as their rows.

    Returns:
        The figure; its panels move together.

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
    count = shape[0]
    trace = _picture if len(panels) * shape[0] * shape[1] > MAX_CELLS else _cells
    consecutive = list(dimensions) == list(range(dimensions[0], dimensions[0] + shape[1]))
    left = dimensions[0] if consecutive else 0
    names, short = numbered(tokens, first_token), numbered(tokens, first_token, MAX_LETTERS)
    step = -(-count // MAX_NAMED)
    rows = [row for row in range(0, count, step) if chosen is None or abs(row - chosen) >= step]
    margin = TITLES + width_of(short)
    if chosen is not None:
        rows, short[chosen] = [*rows, chosen], f"<b>{short[chosen]}</b>"
    down: Axis = {
        "range": [count - 0.5, -0.5],
        "tickvals": rows,
        "ticktext": [short[row] for row in rows],
        "tickfont": {"size": NAME_LARGE if large else NAME},
        "showgrid": False,
        # Plotly would make the pixels of a picture square.
        "scaleanchor": False,
        "constrain": "range",
        "automargin": False,
        "ticklabelstandoff": 6,
    }
    across: Axis = {
        "title": {"text": "dimension"},
        "range": [left - 0.5, left + shape[1] - 0.5],
        "automargin": False,
        "showspikes": True,  # a line through all panels
        "spikemode": "across",
        "spikesnap": "data",
        "spikedash": "solid",
        "spikethickness": 1,
    }
    if not consecutive:
        across |= named([str(dimension) for dimension in dimensions], tickangle=-90)
    windowed = 0 < window < shape[1]
    axes = ["", *map(str, range(2, len(panels) + 1))]  # what follows "yaxis" in an axis's name
    layout: dict[str, Any] = {
        "xaxis": across | {"anchor": f"y{axes[-1]}"},
        "grid": {"subplots": [[f"xy{axis}"] for axis in axes], "ygap": GAP},
        "shapes": [],
    }
    traces, titles = [], []
    for panel, axis in zip(panels, axes, strict=True):
        traces.append(trace(panel, left, names) | {"yaxis": f"y{axis}"})
        sign, _, name = panel.title.rpartition(" ")
        # The end of the colours is said in text: colour bars are slow.
        text = (
            f'<span style="color:{panel.color}">■</span> <b>{sign}<br>{name}</b>'
            f"<br>±{panel.limit:.2g}"
        )
        place = {"x": 0, "xref": "paper", "xanchor": "left", "xshift": -margin}
        place |= {"y": 0.5, "yref": f"y{axis} domain", "yanchor": "middle"}
        titles.append({"text": text, "align": "left"} | place)
        layout[f"yaxis{axis}"] = down | ({"matches": "y", "anchor": "free"} if axis else {})
        if chosen is not None:
            # A line without a colour has that of letters.
            ends = {"x0": 0, "x1": 1, "xref": "paper", "y0": chosen - 0.5, "y1": chosen + 0.5}
            layout["shapes"].append(
                {"type": "rect", "yref": f"y{axis}", "line": {"width": 1.5}} | ends
            )
    if windowed:
        whole, start = across["range"], [left - 0.5, left + window - 0.5]
        layout["xaxis"] |= {"range": start, "minallowed": whole[0], "maxallowed": whole[1]}
        ranges = {f"{window}": start, f"all {shape[1]}": whole}
        each = [
            {"label": name, "method": "relayout", "args": [{"xaxis.range": span}]}
            for name, span in ranges.items()
        ]
        below = {"xanchor": "right", "y": 0, "yanchor": "top", "pad": {"t": 4, "r": 6}}
        layout["updatemenus"] = [buttons(each, **below)]
    return draw(
        traces,
        height=len(panels) * min(max(ROW * count, MIN_PANEL), MAX_PANEL) + TOP + BOTTOM,
        # Margins by estimate: where Plotly measures them, five heatmaps take 1.8 times as long.
        margin={"l": margin, "b": BOTTOM, "t": TOP, "pad": 0},
        dragmode="pan" if windowed else "zoom",
        hovermode="x",
        hoversubplots="axis",
        annotations=titles,
        **layout,
    )


def signed_rows(values: Array, names: Sequence[str], limit: float) -> Figure:
    """Draw a few named rows of a table (rows, dimensions) on a scale symmetric around zero."""
    labels = [label(name) for name in names]
    return draw(
        [_cells(Panel("", values, limit), 0, labels) | {"showscale": True}],
        height=44 * len(names) + 130,
        xaxis=titled("dimension"),
        yaxis=named_rows(labels),
    )


def _cells(panel: Panel, left: int, names: Sequence[str]) -> Trace:
    return heatmap(
        panel.values,
        f"%{{y}}: {panel.title} <b>%{{z:.4f}}</b>",
        DIVERGING_SCALE,
        (-panel.limit, panel.limit),
        x0=left,
        y=names,
        showscale=False,
        name=panel.title,
    )


def _picture(panel: Panel, left: int, names: Sequence[str]) -> Trace:
    return {
        "type": "image",
        "source": signed_png(panel.values, panel.limit),
        "x0": left,
        "name": panel.title,
        "hoverinfo": "skip",
    }
