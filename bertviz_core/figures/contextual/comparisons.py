"""The same similarities under several poolings, and in two models."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label, layers, named_rows, titled
from bertviz_core.figures.colors import MUTED, SENTENCES, TOKEN
from bertviz_core.figures.drawing import Figure, draw, line, vertical_line

MOST_NAMED = 12
_SYMBOLS = ("circle", "triangle-left", "triangle-right", "diamond")


def pooling_dots(
    similarities: NDArray[np.float32], poolings: Sequence[str], names: Sequence[str]
) -> Figure:
    """Draw one row a pair of words, with a mark for each pooling.

    Args:
        similarities: float32 (p, n), cosines.
        poolings: p names, for the legend.
        names: n pairs; equal ones stay apart, because the axis counts rows.

    Returns:
        A chart of marks; a grey line in each row spans smallest and largest.

    Raises:
        ValueError: There is not one row a pooling and one column a pair.
    """
    if similarities.shape != (len(poolings), len(names)):
        raise ValueError(
            f"similarities have shape {similarities.shape}, names {(len(poolings), len(names))}"
        )
    rows = np.arange(len(names))
    shown = [label(name, 34) for name in names]
    ends = np.stack([similarities.min(axis=0), similarities.max(axis=0)], axis=1)
    spans = {
        "type": "scatter",
        "mode": "lines",
        # A gap after each pair of ends keeps the lines of two rows apart.
        "x": np.insert(ends.astype(np.float64), 2, np.nan, axis=1).ravel(),
        "y": np.repeat(rows, 3),
        "line": {"color": MUTED, "width": 2},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    marks = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": values,
            "y": rows,
            "name": label(pooling),
            "marker": {
                "color": SENTENCES[number % len(SENTENCES)],
                "symbol": _SYMBOLS[number % len(_SYMBOLS)],
                "size": 11,
            },
            "customdata": shown,
            "hovertemplate": f"%{{customdata}}<br>%{{x:.3f}}<extra>{label(pooling)}</extra>",
        }
        for number, (pooling, values) in enumerate(zip(poolings, similarities, strict=True))
    ]
    return draw(
        [spans, *marks],
        height=28 * len(names) + 170,
        legend=True,
        xaxis=titled("cosine similarity", tickformat=".2f"),
        yaxis=named_rows(shown, showgrid=True),
    )


def model_scatter(
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    names: Sequence[str],
    models: tuple[str, str],
) -> Figure:
    """Draw each pair of words at its similarities in two models.

    Args:
        first: float32 (n,), cosine or percentile of each pair in the first model.
        second: float32 (n,), the same in the second.
        names: n names; up to 12 are printed beside their points.
        models: Titles of the two axes.

    Returns:
        A scatter chart with n points.

    Raises:
        ValueError: There is not one point a name.
    """
    if first.shape != (len(names),) or second.shape != first.shape:
        raise ValueError(
            f"similarities have shape {first.shape} and {second.shape}, names {(len(names),)}"
        )
    across, up = _with_room(first), _with_room(second)
    points = {
        "type": "scatter",
        "mode": "markers+text" if len(names) <= MOST_NAMED else "markers",
        "x": first,
        "y": second,
        "text": [label(name, 22) for name in names],
        # Names grow towards the middle, so that none is cut off at the edge.
        "textposition": ["top left" if x > sum(across) / 2 else "top right" for x in first],
        "marker": {"color": TOKEN, "size": 9},
        "customdata": [label(name, 34) for name in names],
        "hovertemplate": "%{customdata}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
    }
    return draw(
        [points],
        height=400,
        xaxis=titled(label(models[0], 60), range=across),
        yaxis=titled(label(models[1], 60), range=up),
    )


def correlation_curve(
    correlation: NDArray[np.float64], compared: NDArray[np.int64], *, layer: int
) -> Figure:
    """Draw how alike two models order the same pairs, over the layers of the first.

    Args:
        correlation: float64 (m,), rank correlation in [-1, 1]; NaN leaves a gap.
        compared: int64 (m, 2), the layers compared.
        layer: A layer of the first model to mark by a vertical line.

    Returns:
        A line chart on an axis from -1 to 1.

    Raises:
        ValueError: There is not one pair of layers a number.
    """
    if compared.shape != (len(correlation), 2):
        raise ValueError(f"correlation has shape {correlation.shape}, layers {compared.shape}")
    hover = "layer %{x} and layer %{customdata}<br>%{y:.3f}"
    return draw(
        [line(compared[:, 0], correlation, "", hover, customdata=compared[:, 1])],
        height=300,
        shapes=[vertical_line(layer)],
        xaxis=layers("layer of the first model"),
        yaxis=titled("rank correlation", range=[-1.05, 1.05], tickformat=".1f", zeroline=True),
    )


def _with_room(values: NDArray[np.float32]) -> list[float]:
    """The span of some values and a tenth more at each end, for their names."""
    low, high = float(values.min(initial=1)), float(values.max(initial=-1))
    room = 0.1 * max(high - low, 0.1)
    return [low - room, high + room]
