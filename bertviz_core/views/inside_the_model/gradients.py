"""Pictures of gradients: of the parts of a model, and of the rows behind each token."""

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures import colors
from bertviz_core.figures.axes import named, named_rows, numbered, titled
from bertviz_core.figures.drawing import Figure, draw


def gradient_bars(names: list[str], norms: Array, shades: list[str]) -> Figure:
    """Draw the length of the gradient of each part, the first on top."""
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": norms,
        "y": np.arange(len(names)),
        "marker": {"color": shades},
        "text": [f"{norm:.3g}" for norm in norms],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": names,
        "hovertemplate": "%{customdata}<br>gradient %{x:.5f}<extra></extra>",
    }
    longest = float(norms.max(initial=0)) or 1.0
    return draw(
        [bars],
        height=24 * len(names) + 90,
        bargap=0.2,
        xaxis=titled("length of the gradient", range=[0, longest * 1.15]),
        yaxis=named_rows(names),
    )


def row_gradients(tokens: tuple[str, ...], rows: dict[str, Array]) -> Figure:
    """Draw, for each token, the gradients of the three rows that were added for it."""
    markers = (
        {"color": colors.TOKEN, "symbol": "circle", "size": 8},
        # Open and larger: it often lies on the token's own.
        {"color": colors.POSITION, "symbol": "square-open", "size": 15, "line": {"width": 2}},
        {"color": colors.SEGMENT, "symbol": "diamond", "size": 9},
    )
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
        for (name, values), marker in zip(rows.items(), markers, strict=True)
    ]
    return draw(
        marks,
        height=360,
        legend=True,
        xaxis=named(names, range=[-0.6, len(tokens) - 0.4]),
        yaxis=titled("length of the row's gradient", rangemode="tozero"),
    )
