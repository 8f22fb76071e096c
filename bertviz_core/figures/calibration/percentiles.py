"""How cosines of unrelated pairs are spread: a small picture with marks, and a curve by layer."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, label
from bertviz_core.figures.colors import DASHES, MUTED, SENTENCES, TOKEN

BINS = 80
HEIGHT = 120
LABEL = 17  # pixels a line of a label takes
MUTED_LINE = "rgba(138, 143, 152, 0.6)"
BAND = "rgba(0, 114, 178, 0.18)"  # the first curve's colour, pale


def ruler_figure(
    quantiles: NDArray[np.float32], marks: Sequence[float], names: Sequence[str] = ()
) -> go.Figure:
    """Draw the cosines of unrelated pairs as a low histogram, with a line for each cosine to judge.

    Args:
        quantiles: float32 (n,), rising, at least two: the cosines that equal shares of the pairs
            do not exceed.
        marks: The cosines to mark, one or a few. What lies below a single one is coloured.
        names: What each mark is, printed at its line beside the number; none, or one a mark.

    Returns:
        A bar chart whose heights add up to 100 percent, 120 pixels high for one mark. The axis
        leaves out the outermost 0.1 percent of the pairs at each end; zooming out shows them.

    Raises:
        ValueError: There are no quantiles, or names but not one a mark.
    """
    if quantiles.ndim != 1 or quantiles.size < 2:
        raise ValueError(f"quantiles have shape {quantiles.shape}, expected (n,) with n > 1")
    if names and len(names) != len(marks):
        raise ValueError(f"marks have shape {(len(marks),)}, names {(len(names),)}")
    low, high = _shown(quantiles, marks)
    centers, shares, width = _shares(quantiles, (high - low) / BINS)
    below = marks[0] if len(marks) == 1 else -np.inf
    figure = go.Figure(
        go.Bar(
            x=centers.astype(np.float32),
            y=shares.astype(np.float32),
            width=width,
            marker_color=[TOKEN if center < below else MUTED for center in centers],
            marker_line_width=0,
            hovertemplate="cosine %{x:.3f}<br>%{y:.1f}% of unrelated pairs<extra></extra>",
        )
    )
    # Each label has a row of its own above the bars, on that side of its line where there is room.
    bars, rows = 40, LABEL * len(marks)
    top = float(shares.max()) * (bars + rows) / bars
    for number, mark in enumerate(marks):
        color = TOKEN if len(marks) == 1 else SENTENCES[number % len(SENTENCES)]
        figure.add_vline(
            x=float(mark),
            line_color=color,
            line_width=2.5,
            line_dash=DASHES[number % len(DASHES)],
        )
        named = f"{label(names[number])} " if names else ""
        figure.add_annotation(
            x=float(mark),
            y=top * (1 - LABEL * number / (bars + rows)),
            text=f" {named}{mark:.3f} ",
            xanchor="left" if mark < (low + high) / 2 else "right",
            yanchor="top",
            showarrow=False,
            borderpad=0,
            font_size=13,
        )
    room = 0.03 * (high - low)
    figure.update_xaxes(range=[low - room, high + room], zeroline=False, nticks=7)
    figure.update_yaxes(visible=False, range=[0, top])
    height = HEIGHT + LABEL * max(len(marks) - 1, 0)
    return compact(figure, height).update_layout(showlegend=False, bargap=0)


def anisotropy_curve(
    means: NDArray[np.float32],
    centred_means: NDArray[np.float32],
    quantiles: NDArray[np.float32],
    *,
    layer: int | None = None,
) -> go.Figure:
    """Draw the mean cosine of unrelated pairs over the layers, as it is and after centring.

    Args:
        means: float32 (layers,), mean cosine of unrelated pairs, layer 0 first.
        centred_means: The same after taking away each layer's mean vector.
        quantiles: float32 (layers, n), as for `ruler_figure`, of the plain cosines; the middle 90
            percent of the pairs are drawn as a band.
        layer: A layer to mark by a vertical line.

    Returns:
        A line chart of two curves and a band.

    Raises:
        ValueError: The arrays do not have the same number of layers.
    """
    if means.ndim != 1 or centred_means.shape != means.shape or len(quantiles) != len(means):
        raise ValueError(
            f"means have shape {means.shape} and {centred_means.shape}, quantiles {quantiles.shape}"
        )
    layers = np.arange(len(means))
    last = quantiles.shape[1] - 1
    low, high = (quantiles[:, round(share * last)] for share in (0.05, 0.95))
    figure = go.Figure(
        [
            go.Scatter(x=layers, y=low, mode="lines", line_width=0, hoverinfo="skip",
                       showlegend=False),
            go.Scatter(x=layers, y=high, mode="lines", line_width=0, hoverinfo="skip",
                       fill="tonexty", fillcolor=BAND, name="middle 90% of the pairs"),
        ]
    )  # fmt: skip
    curves = (("mean cosine", means), ("mean cosine, mean-centred", centred_means))
    for number, (name, curve) in enumerate(curves):
        color = SENTENCES[number]
        figure.add_trace(
            go.Scatter(
                x=layers,
                y=curve,
                mode="lines+markers",
                name=name,
                line={"color": color, "dash": DASHES[number], "width": 2.5},
                marker={"color": color, "size": 6},
                hovertemplate="layer %{x}<br>%{y:.3f}<extra>" + name + "</extra>",
            )
        )
    if layer is not None:
        figure.add_vline(x=layer, line_color=MUTED_LINE, line_width=1.5, line_dash="dot")
    figure.update_xaxes(title_text="layer (0 = input embedding)", dtick=1, zeroline=False)
    figure.update_yaxes(title_text="cosine of unrelated pairs", tickformat=".2f", zeroline=True)
    return compact(figure, 340).update_layout(
        showlegend=True,
        legend={
            "orientation": "h",
            "traceorder": "normal",
            "x": 0,
            "xanchor": "left",
            "y": -0.26,
            "yanchor": "top",
        },
    )


def _shown(quantiles: NDArray[np.float32], marks: Sequence[float]) -> tuple[float, float]:
    """The stretch to draw: 99.8 percent of the pairs, and the marks."""
    last = len(quantiles) - 1
    ends = (quantiles[round(0.001 * last)], quantiles[round(0.999 * last)], *marks)
    low, high = float(min(ends)), float(max(ends))
    return (low, high) if high > low else (low - 0.01, high + 0.01)


def _shares(
    quantiles: NDArray[np.float32], width: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Centres of the bins, percent of the pairs in each, and the bins' width."""
    values = quantiles.astype(np.float64)
    count = max(int(np.ceil((values[-1] - values[0]) / width)), 1)
    edges = values[0] + width * np.arange(count + 1)
    # Each gap between two quantiles holds the same share, spread evenly; equal ones are a step.
    up_to = np.interp(edges, values, np.linspace(0, 100, len(values)))
    up_to[0], up_to[-1] = 0, 100
    return (edges[:-1] + edges[1:]) / 2, np.diff(up_to), width
