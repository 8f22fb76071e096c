"""A number that is added up, divided and multiplied step by step."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT, TOKEN

Exact = NDArray[np.float64]
# Sign and name on two lines, so that they stand upright where there is room.
ADDED = ("token", "+<br>segment", "+<br>position", "−<br>mean", "=<br>centred")
NORMALISED = ("÷<br>deviation", "×<br>weight", "+<br>bias", "=<br>output")
CONTRIBUTED = ("token", "+<br>segment", "+<br>position", "+<br>bias", "=<br>output")


def waterfall_figure(changes: Exact, running: Exact) -> go.Figure:
    """Draw the steps of one number in two panels, each with a scale of its own.

    The left panel adds three rows and subtracts the mean, in the unit of the tables; the right
    one divides, multiplies and shifts, which takes the number to another order of size.

    Args:
        changes: float64 (7,), by how much each step changes the number: token, segment, position,
            mean, deviation, weight, bias.
        running: float64 (7,), the number after each step.

    Returns:
        Five bars and four bars; changes hang between the number before and after, what stands
        alone starts at zero.

    Raises:
        ValueError: There are not seven steps.
    """
    for name, values in (("changes", changes), ("running", running)):
        if values.shape != (7,):
            raise ValueError(f"{name} have shape {values.shape}, steps (7,)")
    before = running - changes
    added = _bars(
        ADDED,
        bases=[*before[:4], 0.0],
        sizes=[*changes[:4], running[3]],
        colors=[TOKEN, SEGMENT, POSITION, MUTED, MUTED],
    )
    # Division starts the second scale anew: its bar is the number itself.
    normalised = _bars(
        NORMALISED,
        bases=[0.0, *before[5:], 0.0],
        sizes=[running[4], *changes[5:], running[6]],
        colors=[MUTED, MUTED, MUTED, OUTPUT],
        axis="2",
    )
    links = [_links(running[:4]), _links(running[4:], "2")]
    layout = {
        "showlegend": False,
        "bargap": 0.3,
        "xaxis": _steps(ADDED, [0.0, 0.46], "y"),
        "yaxis": {"zeroline": True, "anchor": "x"},
        "xaxis2": _steps(NORMALISED, [0.58, 1.0], "y2"),
        "yaxis2": {"zeroline": True, "anchor": "x2"},
        "annotations": [_title("the sum", 0.0), _title("LayerNorm", 0.58)],
    }
    return _sized(go.Figure({"data": [added, normalised, *links], "layout": layout}))


def contributions_figure(contributions: Exact) -> go.Figure:
    """Draw what token, segment, position and bias bring to one number of the output.

    Args:
        contributions: float64 (4,), in this order; they add up to the output.

    Returns:
        Four hanging bars and their sum.

    Raises:
        ValueError: There are not four of them.
    """
    if contributions.shape != (4,):
        raise ValueError(f"contributions have shape {contributions.shape}, expected (4,)")
    running = np.cumsum(contributions)
    bars = _bars(
        CONTRIBUTED,
        bases=[*(running - contributions), 0.0],
        sizes=[*contributions, running[-1]],
        colors=[TOKEN, SEGMENT, POSITION, MUTED, OUTPUT],
    )
    layout = {
        "showlegend": False,
        "bargap": 0.3,
        "xaxis": _steps(CONTRIBUTED, [0.0, 1.0], "y"),
        "yaxis": {"zeroline": True},
        "annotations": [_title("what is brought to the output", 0.0)],
    }
    return _sized(go.Figure({"data": [bars, _links(running)], "layout": layout}))


def _bars(
    names: Sequence[str],
    *,
    bases: Sequence[float],
    sizes: Sequence[float],
    colors: list[str],
    axis: str = "",
) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": np.arange(len(names)),
        "y": np.array(sizes),
        "base": np.array(bases),
        "marker": {"color": colors},
        "text": [_signed(size) for size in sizes],
        "textposition": "outside",
        "textfont": {"size": 11},
        "constraintext": "none",
        "cliponaxis": False,
        "customdata": [name.replace("<br>", " ") for name in names],
        "hovertemplate": "%{customdata}<br>%{text}<extra></extra>",
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
    }


def _links(running: Exact, axis: str = "") -> dict[str, Any]:
    """Thin lines from the end of each bar to the start of the next."""
    x, y = [], []
    for step, value in enumerate(running):
        x += [step, step + 1, None]
        y += [value, value, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"color": MUTED, "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
    }


def _steps(names: Sequence[str], domain: list[float], anchor: str) -> dict[str, Any]:
    return {
        "domain": domain,
        "anchor": anchor,
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "showgrid": False,
        "zeroline": False,
        "range": [-0.6, len(names) - 0.4],
    }


def _sized(figure: go.Figure) -> go.Figure:
    return compact(figure, 400).update_layout(margin_t=64)


def _title(text: str, left: float) -> dict[str, Any]:
    return {
        "text": f"<b>{text}</b>",
        "x": left,
        "xref": "paper",
        "xanchor": "left",
        "y": 1.04,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 13},
    }


def _signed(value: float) -> str:
    return f"{value:+.3g}".replace("-", "−")
