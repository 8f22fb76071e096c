"""The numbers of one tensor: how they are spread, and the length of every row."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import label, titled
from bertviz_core.figures.colors import MARK, MUTED, OUTPUT, POSITION, SEGMENT, SENTENCES, TOKEN
from bertviz_core.figures.drawing import Trace, draw

# Small kinds are drawn large and last; no two share colour and symbol.
_LOOKS: tuple[tuple[str, str, int], ...] = (
    (MUTED, "circle", 3),
    (SENTENCES[-1], "circle", 3),
    (SEGMENT, "triangle-up", 5),
    (OUTPUT, "diamond", 5),
    ("#8C6D31", "x", 5),
    (POSITION, "square", 5),
    (TOKEN, "circle", 5),
    (MARK, "star", 13),
)


def tensor_histogram(
    counts: NDArray[np.int64], edges: NDArray[np.float64], *, color: str = TOKEN, log: bool = True
) -> go.Figure:
    """Draw how many numbers fall into each bin.

    Args:
        counts: int64 (bins,).
        edges: float64 (bins + 1,), rising.
        color: The colour that stands for the tensor's part of the model.
        log: Whether heights are on a logarithmic scale, where single outliers are seen.

    Raises:
        ValueError: There is not one bin between each two edges.
    """
    if edges.shape != (len(counts) + 1,):
        raise ValueError(f"counts have shape {counts.shape}, edges {edges.shape}")
    ends = np.stack([edges[:-1], edges[1:]], axis=1).astype(np.float32)
    bars = {
        "type": "bar",
        "x": ends.mean(axis=1),
        "y": counts,
        "width": float(edges[1] - edges[0]),
        "customdata": ends,
        "marker": {"color": color},
        "hovertemplate": (
            "%{customdata[0]:.4f} to %{customdata[1]:.4f}<br>%{y:,} numbers<extra></extra>"
        ),
    }
    heights = titled("how many", zeroline=True)
    if log:
        highest = float(np.log10(max(int(counts.max(initial=1)), 2)))
        # From below 1, so that a bin with a single number is seen; powers of ten as labels.
        span = [float(np.log10(0.6)), highest * 1.04 + 0.05]
        heights |= {"type": "log", "range": span, "dtick": 1, "tickformat": ",d"}
    return draw(
        [bars],
        height=320,
        bargap=0,
        xaxis=titled("value of a number in the tensor"),
        yaxis=heights,
    )


def norms_by_kind_scatter(
    norms: NDArray[np.float32],
    kinds: NDArray[np.int8],
    kind_names: Sequence[str],
    tokens: Sequence[str],
) -> go.Figure:
    """Draw the length of every row against its number; a click in the legend hides a kind.

    Args:
        norms: float32 (rows,).
        kinds: int8 (rows,), index in `kind_names` of each row.
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
    traces: list[Trace] = []
    for kind, (name, (color, symbol, size)) in enumerate(zip(kind_names, _LOOKS, strict=False)):
        rows = np.flatnonzero(kinds == kind)
        if not len(rows):
            continue
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
    return draw(
        traces,
        height=520,
        legend={"itemsizing": "constant"},
        xaxis=titled("token id", tickformat="d"),
        yaxis=titled("length of the row", rangemode="tozero"),
    )
