"""A number that is added up, divided and multiplied step by step."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import Axis, named
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT, TOKEN
from bertviz_core.figures.drawing import Figure, Trace, draw, panel_title

Exact = NDArray[np.float64]
# Sign and name on two lines, so that they stand upright where there is room.
ADDED = ("token", "+<br>segment", "+<br>position", "−<br>mean", "=<br>centred")
NORMALISED = ("÷<br>deviation", "×<br>weight", "+<br>bias", "=<br>output")
CONTRIBUTED = ("token", "+<br>segment", "+<br>position", "+<br>bias", "=<br>output")
TOP = 0.92  # of the panels, in shares of the figure; their titles stand above


def waterfall_figure(changes: Exact, running: Exact) -> Figure:
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
    )
    right = {"xaxis": "x2", "yaxis": "y2"}
    return draw(
        [added, normalised | right, _links(running[:4]), _links(running[4:]) | right],
        height=400,
        bargap=0.3,
        annotations=[
            panel_title("<b>the sum</b>", y=TOP + 0.03),
            panel_title("<b>LayerNorm</b>", y=TOP + 0.03, x=0.58),
        ],
        xaxis=_steps(ADDED, [0.0, 0.46]),
        yaxis=_numbers(),
        xaxis2=_steps(NORMALISED, [0.58, 1.0]) | {"anchor": "y2"},
        yaxis2=_numbers() | {"anchor": "x2"},
    )


def contributions_figure(contributions: Exact) -> Figure:
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
    return draw(
        [bars, _links(running)],
        height=400,
        bargap=0.3,
        annotations=[panel_title("<b>what is brought to the output</b>", y=TOP + 0.03)],
        xaxis=_steps(CONTRIBUTED, [0.0, 1.0]),
        yaxis=_numbers(),
    )


def _bars(
    names: Sequence[str], *, bases: Sequence[float], sizes: Sequence[float], colors: list[str]
) -> Trace:
    return {
        "type": "bar",
        "x": np.arange(len(names)),
        "y": np.array(sizes),
        "base": np.array(bases),
        "marker": {"color": colors},
        "text": [f"{size:+.3g}".replace("-", "−") for size in sizes],
        "textposition": "outside",
        "constraintext": "none",
        "cliponaxis": False,
        "customdata": [name.replace("<br>", " ") for name in names],
        "hovertemplate": "%{customdata}<br>%{text}<extra></extra>",
    }


def _links(running: Exact) -> Trace:
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
    }


def _steps(names: Sequence[str], domain: list[float]) -> Axis:
    return named(names, domain=domain, range=[-0.6, len(names) - 0.4])


def _numbers() -> Axis:
    return {"domain": [0, TOP], "zeroline": True}
