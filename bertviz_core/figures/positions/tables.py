"""Rows of the position table on a plane, and how far tokens move layer by layer."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import layers, named_rows, numbered, titled
from bertviz_core.figures.colors import CHANGE, MARK, MUTED, SIMILARITY, faint
from bertviz_core.figures.drawing import Figure, draw

Array = NDArray[np.float32]
ROW, SMALLEST, LARGEST = 24, 220, 560  # pixels of a row; least and most of a heatmap


def path_figure(
    coordinates: Array, explained: Array, components: tuple[int, int], *, of: str, mark: int
) -> Figure:
    """Draw the path of rows through two principal components, coloured by row number.

    Args:
        coordinates: float32 (n, 2).
        explained: float32 (2,), share of variance of each component, for the axes.
        components: Numbers of the two components, counted from 1, for the axes.
        of: What a row is: "position".
        mark: A row to mark by a ring.

    Returns:
        A scatter chart with a line through all points in order.

    Raises:
        ValueError: There are not two coordinates a row, or two shares.
    """
    if coordinates.ndim != 2 or coordinates.shape[1] != 2 or explained.shape != (2,):
        raise ValueError(f"coordinates have shape {coordinates.shape}, shares {explained.shape}")
    rows = np.arange(len(coordinates))
    path = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": coordinates[:, 0],
        "y": coordinates[:, 1],
        # Faint: a path that goes round often must not hide its points.
        "line": {"color": faint(MUTED, 0.45), "width": 0.8},
        "marker": {
            "color": rows,
            "colorscale": SIMILARITY,
            "size": 6,
            "colorbar": {"title": {"text": of}},
            "showscale": True,
        },
        "customdata": rows,
        "hovertemplate": f"{of} %{{customdata}}<br>%{{x:.3f}}, %{{y:.3f}}<extra></extra>",
    }
    ring = {
        "type": "scatter",
        "mode": "markers",
        "x": coordinates[[mark], 0],
        "y": coordinates[[mark], 1],
        "marker": {"size": 13, "symbol": "circle-open", "color": MARK, "line": {"width": 2.5}},
        "hoverinfo": "skip",
    }
    across, up = (
        titled(f"component {component} ({share:.0%} of the variance)")
        for component, share in zip(components, explained, strict=True)
    )
    return draw([path, ring], height=400, xaxis=across, yaxis=up)


def change_heatmap(values: Array, tokens: Sequence[str]) -> Figure:
    """Draw the change of every token at every layer.

    Args:
        values: float32 (num_hidden_layers + 1, seq_len), 1 - cosine, at least 0.
        tokens: seq_len tokens.

    Returns:
        A heatmap, tokens down and layers across, from 0 to the largest change.

    Raises:
        ValueError: There is not one column a token.
    """
    if values.ndim != 2 or values.shape[1] != len(tokens):
        raise ValueError(f"changes have shape {values.shape}, tokens {(len(tokens),)}")
    height = int(np.clip(len(tokens) * ROW, SMALLEST, LARGEST))
    names = numbered(tokens)
    cells = {
        "type": "heatmap",
        "z": values.T,
        "zmin": 0,
        "zmax": max(float(values.max(initial=0)), 1e-6),
        "colorscale": CHANGE,
        "colorbar": {"title": {"text": "1 − cosine"}},
        "customdata": [[name] * len(values) for name in names],
        "hovertemplate": "%{customdata}<br>layer %{x}<br>1 − cosine %{z:.3f}<extra></extra>",
    }
    return draw(
        [cells],
        height=height + 100,
        xaxis=layers(),
        yaxis=named_rows(names, height // 14),
    )
