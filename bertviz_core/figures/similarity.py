"""The similarity of marked words, over the layers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import label, layers, suffix
from bertviz_core.figures.colors import MUTED, SENTENCES
from bertviz_core.figures.drawing import Figure, Trace, draw, line, panel_title, vertical_line
from bertviz_core.figures.template import FRAME

MAX_COLOURED = len(SENTENCES)
HEIGHT = 130  # pixels of a panel


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves of one panel.

    Attributes:
        title: What they measure.
        names: n names; the first six are in the panel's legend.
        curves: float32 (n, layers).
    """

    title: str
    names: Sequence[str]
    curves: Array


def similarity_curves(
    panels: Sequence[Panel], *, layer: int, height: int = 0, follows: str = ""
) -> Figure:
    """Draw curves over the layers, panel below panel, with one range of numbers.

    Args:
        panels: One or more; all have the same layers.
        layer: A layer to mark by a vertical line.
        height: Of the figure, in pixels; 0 for as much as the panels need.
        follows: On a page, the chart whose layer its line moves with.

    Returns:
        A line chart whose panels share the axis of layers and one range of cosines. Curves differ
        in colour and in line style; after the first six they are grey.

    Raises:
        ValueError: There is not one curve a name.

    Example:
        >>> curves = np.float32([[0.25, 0.5, 0.75], [0.25, 0.5, 0.25]])
        >>> figure = similarity_curves([Panel("similarity", ["pet", "code"], curves)], layer=2)
        >>> figure.data[1].y.tolist()
        [0.25, 0.5, 0.25]
    """
    count, above = len(panels), 28  # pixels over a panel, for its title
    room = height - FRAME if height else count * (HEIGHT + above)
    each = room // count - above
    low = min(float(panel.curves.min()) for panel in panels)
    high = max(float(panel.curves.max()) for panel in panels)
    beyond = 0.08 * max(high - low, 0.1)
    low, high = low - beyond, high + beyond
    axes, traces, notes = dict[str, Any](), list[Trace](), list[Trace]()
    for row, panel in enumerate(panels):
        top = 1 - (row * (each + above) + above) / room
        domain = [max(top - each / room, 0), top]
        axes[f"yaxis{suffix(row + 1)}"] = {
            "domain": domain,
            "range": [low, high],
            "tickformat": ".1f" if high - low > 0.4 else ".2f",
            "nticks": 5,
        }
        notes.append(panel_title(f"<b>{label(panel.title, 60)}</b>", y=domain[1]))
        known = len(panel.names) < 2 or any(panel.names == one.names for one in panels[:row])
        traces += _lines(panel, suffix(row + 1), named=not known)
        # To the right of its panel; one legend for panels below each other with the same names.
        axes[f"legend{suffix(row + 1)}"] = {
            **{"x": 1, "y": domain[1], "yanchor": "top", "orientation": "v"},
            "tracegroupgap": 0,
        }
    return draw(
        traces,
        height=room + FRAME,
        shapes=[layer_line(layer)],
        annotations=notes,
        legend=axes.pop("legend"),
        meta=follows,
        xaxis=layers(anchor=f"y{suffix(count)}", range=[-0.2, len(panels[0].curves[0]) - 0.8]),
        **axes,
    )


def layer_line(layer: int) -> Trace:
    """A shape: the line that marks a layer in all panels."""
    return vertical_line(layer) | {"yref": "paper"}


def _lines(panel: Panel, panel_suffix: str, *, named: bool) -> list[Trace]:
    grey = {"line": {"color": MUTED, "width": 1.5}, "marker": {"color": MUTED, "size": 5}}
    return [
        line(
            np.arange(panel.curves.shape[1]),
            curve,
            name,
            "layer %{x}<br>%{y:.3f}",
            number,
            **{"yaxis": f"y{panel_suffix}", "legend": f"legend{panel_suffix}"},
            showlegend=named and number < MAX_COLOURED,
            **(grey if number >= MAX_COLOURED else {}),
        )
        | {"name": label(name, 18)}
        for number, (curve, name) in enumerate(zip(panel.curves, panel.names, strict=True))
    ]
