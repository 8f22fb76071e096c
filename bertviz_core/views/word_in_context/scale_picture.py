"""A low histogram of the cosines of pairs, with a line at one to judge."""

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label
from bertviz_core.figures.colors import MUTED, TOKEN
from bertviz_core.figures.drawing import Figure, draw, vertical_line

BINS = 80
HEIGHT = 120  # pixels
BARS, LABEL = 40, 17  # of them the bars and their label take


def percentile_scale(
    quantiles: NDArray[np.float32], percents: NDArray[np.float64], mark: float, name: str
) -> Figure:
    """Draw the cosines of pairs as bars whose heights add up to 100 percent.

    `percents` of the pairs, from 0 to 100, do not exceed `quantiles`; what lies below `mark` is
    coloured. The axis leaves out the outermost 0.1 percent of the pairs at each end; zooming out
    shows them.
    """
    ends = (*np.interp([0.1, 99.9], percents, quantiles), mark)
    low, high = float(min(ends)), float(max(ends))
    if high <= low:
        low, high = low - 0.01, high + 0.01
    centers, shares, width = _shares(quantiles, percents, (high - low) / BINS)
    bars = {
        "type": "bar",
        "x": centers.astype(np.float32),
        "y": shares.astype(np.float32),
        "width": width,
        "marker": {"color": [TOKEN if center < mark else MUTED for center in centers]},
        "hovertemplate": "cosine %{x:.3f}<br>%{y:.1f}% of the pairs<extra></extra>",
    }
    # The label is above the bars, on that side of its line where there is room.
    top = float(shares.max()) * (BARS + LABEL) / BARS
    note = {
        "text": f" {label(name)} {mark:.3f} " if name else f" {mark:.3f} ",
        "x": mark,
        "y": top,
        "xanchor": "left" if mark < (low + high) / 2 else "right",
        "yanchor": "top",
        "borderpad": 0,
    }
    room = 0.03 * (high - low)
    return draw(
        [bars],
        height=HEIGHT,
        bargap=0,
        shapes=[vertical_line(mark, TOKEN, 2.5, "solid")],
        annotations=[note],
        xaxis={"range": [low - room, high + room], "nticks": 7},
        yaxis={"visible": False, "range": [0, top]},
    )


def _shares(
    quantiles: NDArray[np.float32], percents: NDArray[np.float64], width: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Centres of the bins, percent of the pairs in each, and the bins' width."""
    values = quantiles.astype(np.float64)
    count = max(int(np.ceil((values[-1] - values[0]) / width)), 1)
    edges = values[0] + width * np.arange(count + 1)
    # Each gap between two quantiles holds its share, spread evenly; equal ones are a step.
    up_to = np.interp(edges, values, percents)
    up_to[0], up_to[-1] = 0, 100
    return (edges[:-1] + edges[1:]) / 2, np.diff(up_to), width
