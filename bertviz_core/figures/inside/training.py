"""What training pulls at, and what the pooler does to a vector."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label, named, named_rows, numbered, titled
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT, TOKEN
from bertviz_core.figures.drawing import Figure, draw

Array = NDArray[np.float32]


def gradient_bars(names: Sequence[str], norms: Array, colors: Sequence[str]) -> Figure:
    """Draw the length of the gradient of each part, the first on top.

    Args:
        names: One a part.
        norms: float32 (parts,), at least 0.
        colors: One a part.

    Raises:
        ValueError: The columns differ in length.
    """
    if not norms.shape == (len(names),) == (len(colors),):
        raise ValueError(
            f"norms have shape {norms.shape}, names {(len(names),)}, colors {(len(colors),)}"
        )
    shown = [label(name, 30) for name in names]
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": norms,
        "y": np.arange(len(names)),
        "marker": {"color": list(colors)},
        "text": [f"{norm:.3g}" for norm in norms],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": shown,
        "hovertemplate": "%{customdata}<br>gradient %{x:.5f}<extra></extra>",
    }
    longest = float(norms.max(initial=0)) or 1.0
    return draw(
        [bars],
        height=24 * len(names) + 90,
        bargap=0.2,
        xaxis=titled("length of the gradient", range=[0, longest * 1.15]),
        yaxis=named_rows(shown),
    )


def row_gradients(tokens: Sequence[str], words: Array, positions: Array, segments: Array) -> Figure:
    """Draw, for each token of a text, the gradients of the three rows that were added for it.

    Args:
        tokens: seq_len labels.
        words: float32 (seq_len,), of its row of the token table.
        positions: float32 (seq_len,), of its row of the position table.
        segments: float32 (seq_len,), of its row of the segment table.

    Raises:
        ValueError: An array has not one value a token.
    """
    parts = (
        ("token row", words, {"color": TOKEN, "symbol": "circle", "size": 8}),
        # Open and larger: it often lies on the token's own.
        (
            "position row",
            positions,
            {"color": POSITION, "symbol": "square-open", "size": 15, "line": {"width": 2}},
        ),
        ("segment row", segments, {"color": SEGMENT, "symbol": "diamond", "size": 9}),
    )
    for name, values, _ in parts:
        if values.shape != (len(tokens),):
            raise ValueError(f"{name} has shape {values.shape}, tokens {(len(tokens),)}")
    names = numbered(tokens)
    marks = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": np.arange(len(tokens)),
            "y": values,
            "name": name,
            "marker": marker,
            "customdata": names,
            "hovertemplate": f"%{{customdata}}<br>{name}: %{{y:.5f}}<extra></extra>",
        }
        for name, values, marker in parts
    ]
    return draw(
        marks,
        height=360,
        legend=True,
        xaxis=named(names, range=[-0.6, len(tokens) - 0.4]),
        yaxis=titled("length of the row's gradient", rangemode="tozero"),
    )


def pooler_scatter(before: Array, after: Array, *, before_name: str, curve: bool) -> Figure:
    """Draw the pooler's output against what stood in the same dimension before.

    Args:
        before: float32 (hidden_size,).
        after: float32 (hidden_size,), in [-1, 1].
        before_name: What `before` is, for the axis.
        curve: Whether to draw tanh as a line behind the points.

    Raises:
        ValueError: The two differ in shape.
    """
    if before.shape != after.shape:
        raise ValueError(f"before has shape {before.shape}, after {after.shape}")
    end = float(np.abs(before).max(initial=1.0)) * 1.05
    x = np.linspace(-end, end, 121, dtype=np.float32)
    tanh = {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": np.tanh(x),
        "line": {"color": MUTED, "width": 1.5},
        "hoverinfo": "skip",
    }
    points = {
        "type": "scatter",
        "mode": "markers",
        "x": before,
        "y": after,
        "marker": {"color": OUTPUT if curve else TOKEN, "size": 6, "opacity": 0.75},
        "customdata": np.arange(before.size, dtype=np.int32),
        "hovertemplate": "dimension %{customdata}<br>before %{x:.4f}<br>after %{y:.4f}"
        "<extra></extra>",
    }
    return draw(
        [tanh, points] if curve else [points],
        height=340,
        xaxis=titled(before_name),
        yaxis=titled("pooler_output", range=[-1.08, 1.08], zeroline=True),
    )
