"""The segment of every token, by several ways of telling it."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, named_rows, numbered, thinned
from bertviz_core.figures.colors import SENTENCES

# Segment A and B as on the chips; what has no row stands out.
SEGMENT_COLORS = (SENTENCES[0], SENTENCES[2], SENTENCES[1])
WRITTEN = 20  # up to so many tokens have their segment written in the cell
LABELLED = 40  # up to so many tokens are named below; of more, some


def segment_strip(
    segments: NDArray[np.int64], ways: Sequence[str], tokens: Sequence[str]
) -> go.Figure:
    """Draw the segment of every token, a row for each way of telling it.

    Args:
        segments: int64 (n, seq_len), 0 for A, 1 for B, 2 and more for what has no name.
        ways: n labels.
        tokens: seq_len labels.

    Returns:
        A heatmap with one colour a segment; all from 2 on share one.

    Raises:
        ValueError: There is not one row a way and one column a token.
    """
    if segments.shape != (len(ways), len(tokens)):
        raise ValueError(f"segments have shape {segments.shape}, labels {(len(ways), len(tokens))}")
    last = len(SEGMENT_COLORS) - 1
    steps = np.linspace(0, 1, last + 2)
    scale = [
        [edge, color]
        for low, high, color in zip(steps, steps[1:], SEGMENT_COLORS, strict=False)
        for edge in (low, high)
    ]
    named = np.array(["A", "B"], dtype=object)
    written = np.where(segments < 2, named[np.minimum(segments, 1)], segments.astype(str))
    figure = go.Figure(
        go.Heatmap(
            z=np.minimum(segments, last).astype(np.float32),
            customdata=written,
            text=written if len(tokens) <= WRITTEN else None,
            texttemplate="<b>%{text}</b>" if len(tokens) <= WRITTEN else None,
            textfont={"color": "#FFFFFF", "size": 19},  # large: white on green has 3.4 : 1
            colorscale=scale,
            zmin=-0.5,
            zmax=last + 0.5,
            showscale=False,
            xgap=1 if len(tokens) <= 100 else 0,  # gaps between many would hide them
            ygap=6,
            hovertemplate="%{y}, token %{x}: segment %{customdata}<extra></extra>",
        )
    )
    places = thinned(len(tokens), LABELLED)
    names = numbered(tokens)
    figure.update_xaxes(
        tickmode="array",
        tickvals=places,
        ticktext=[names[place] for place in places],
        tickangle=-45,
        showgrid=False,
        zeroline=False,
    )
    figure.update_yaxes(zeroline=False, **named_rows(ways))
    return compact(figure, 52 * len(ways) + 110)
