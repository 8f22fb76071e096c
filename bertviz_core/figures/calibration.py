"""How cosines of pairs are spread: a small picture with a mark, and a curve by layer."""

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label, layers, titled
from bertviz_core.figures.colors import MUTED, TOKEN, faint
from bertviz_core.figures.drawing import Figure, band, draw, line, vertical_line

BINS = 80
HEIGHT = 120  # pixels
BARS, LABEL = 40, 17  # of them the bars and their label take


def percentile_scale(
    quantiles: NDArray[np.float32], percents: NDArray[np.float64], mark: float, name: str
) -> Figure:
    """Draw the cosines of pairs as a low histogram, with a line at a cosine to judge.

    Args:
        quantiles: float32 (n,), rising, at least two: cosines that some shares of the pairs do not
            exceed.
        percents: float64 (n,), these shares, rising from 0 to 100.
        mark: The cosine to judge; what lies below it is coloured.
        name: What it is, printed beside the number; "" for none.

    Returns:
        A bar chart whose heights add up to 100 percent. The axis leaves out the outermost 0.1
        percent of the pairs at each end; zooming out shows them.

    Raises:
        ValueError: There are fewer than two quantiles.
    """
    if quantiles.ndim != 1 or quantiles.size < 2:
        raise ValueError(f"quantiles have shape {quantiles.shape}, expected (n,) with n > 1")
    low, high = _shown(quantiles, percents, mark)
    centers, shares, width = _shares(quantiles, percents, (high - low) / BINS)
    bars = {
        "type": "bar",
        "x": centers.astype(np.float32),
        "y": shares.astype(np.float32),
        "width": width,
        "marker": {"color": [TOKEN if center < mark else MUTED for center in centers]},
        "hovertemplate": "cosine %{x:.3f}<br>%{y:.1f}% of the pairs<extra></extra>",
    }
    # The label stands above the bars, on that side of its line where there is room.
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


def anisotropy_curve(
    means: NDArray[np.float32],
    centred_means: NDArray[np.float32],
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    *,
    layer: int | None = None,
) -> Figure:
    """Draw the mean cosine of pairs over the layers, as it is and after centring.

    Args:
        means: float32 (layers,), mean cosine of the pairs, layer 0 first.
        centred_means: The same after taking away each layer's mean vector.
        low: float32 (layers,), the plain cosine that 5 percent of the pairs do not exceed.
        high: The same of 95 percent; between both a band is drawn.
        layer: A layer to mark by a vertical line.

    Returns:
        A line chart of a band and two curves.

    Raises:
        ValueError: The arrays do not have the same number of layers.
    """
    shapes = {row.shape for row in (means, centred_means, low, high)}
    if means.ndim != 1 or len(shapes) > 1:
        raise ValueError(f"rows have shapes {sorted(shapes)}, expected one number a layer")
    numbers = np.arange(len(means))
    hover = "layer %{x}<br>%{y:.3f}"
    curves = (("mean cosine", means), ("mean cosine, mean-centred", centred_means))
    return draw(
        [
            band(numbers, low, high, "middle 90% of the pairs", faint(TOKEN, 0.18)),
            *(line(numbers, values, name, hover, i) for i, (name, values) in enumerate(curves)),
        ],
        height=340,
        legend=True,
        shapes=[] if layer is None else [vertical_line(layer)],
        xaxis=layers(),
        yaxis=titled("cosine of the pairs", tickformat=".2f", zeroline=True),
    )


def _shown(
    quantiles: NDArray[np.float32], percents: NDArray[np.float64], mark: float
) -> tuple[float, float]:
    """The stretch to draw: 99.8 percent of the pairs, and the mark."""
    ends = (*np.interp([0.1, 99.9], percents, quantiles), mark)
    low, high = float(min(ends)), float(max(ends))
    return (low, high) if high > low else (low - 0.01, high + 0.01)


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
