"""The length of every row of a table against its number, by kind."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, label
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT, TOKEN

# Small kinds are drawn large and last; no two share colour and symbol.
_LOOKS: tuple[tuple[str, str, int], ...] = (
    (MUTED, "circle", 3),
    ("#56B4E9", "circle", 3),
    (SEGMENT, "triangle-up", 5),
    (OUTPUT, "diamond", 5),
    ("#8C6D31", "x", 5),
    (POSITION, "square", 5),
    (TOKEN, "circle", 5),
    ("#D55E00", "star", 13),
)


def norms_by_kind_scatter(
    norms: NDArray[np.float32],
    kinds: NDArray[np.int8],
    kind_names: Sequence[str],
    tokens: Sequence[str],
) -> go.Figure:
    """Draw a point a row; a click on a kind in the legend hides it.

    Args:
        norms: float32 (rows,).
        kinds: int8 (rows,), place in `kind_names` of each row.
        kind_names: At most eight, in the order they are drawn: the last on top.
        tokens: (rows,), shown under the pointer.

    Returns:
        One scattergl trace a kind that has rows.

    Raises:
        ValueError: The columns differ in length, or there are too many kinds.
    """
    if not norms.shape == kinds.shape == (len(tokens),):
        raise ValueError(
            f"norms have shape {norms.shape}, kinds {kinds.shape}, tokens {(len(tokens),)}"
        )
    if len(kind_names) > len(_LOOKS):
        raise ValueError(f"{len(kind_names)} kinds, looks for {len(_LOOKS)}")
    traces: list[dict[str, Any]] = []
    for kind, name in enumerate(kind_names):
        rows = np.flatnonzero(kinds == kind)
        if not len(rows):
            continue
        color, symbol, size = _LOOKS[kind]
        traces.append(
            {
                "type": "scattergl",
                "mode": "markers",
                "x": rows.astype(np.uint16 if len(norms) <= 65_536 else np.int32),
                "y": norms[rows],
                "name": f"{name} ({len(rows):,})",
                "marker": {"color": color, "symbol": symbol, "size": size},
                "text": [label(tokens[row]) for row in rows.tolist()],
                "hovertemplate": "%{text}<br>id %{x}<br>length %{y:.3f}"
                f"<extra>{name}</extra>",
            }
        )
    figure = go.Figure({"data": traces})
    figure.update_xaxes(title_text="token id", zeroline=False, tickformat="d")
    figure.update_yaxes(title_text="length of the row", rangemode="tozero", zeroline=False)
    return compact(figure, 520).update_layout(
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": -0.14,
            "xanchor": "left",
            "yanchor": "top",
            "itemsizing": "constant",
        },
    )
