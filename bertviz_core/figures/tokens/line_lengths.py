"""How many tokens each of many lines has, and of which kind."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, label, named_rows
from bertviz_core.figures.colors import MUTED, SENTENCES, TOKEN

Counts = NDArray[np.int64]
ROW = 22  # pixels


def line_length_bars(
    lines: Sequence[str], words: Counts, further: Counts, special: Counts, *, room: int
) -> go.Figure:
    """Draw the tokens of each line as one bar of three parts, the first line on top.

    Args:
        lines: n labels.
        words: int64 (n,), tokens that start a word.
        further: int64 (n,), tokens that continue one.
        special: int64 (n,), tokens put around the line.
        room: How many tokens the model takes; marked where a line comes near.

    Returns:
        A stacked bar chart; each bar ends at the length of its line.

    Raises:
        ValueError: There is not one count of each kind a line.
    """
    parts = {"start a word": words, "continue a word": further, "[CLS] and [SEP]": special}
    for counts in parts.values():
        if counts.shape != (len(lines),):
            raise ValueError(f"counts have shape {counts.shape}, lines {(len(lines),)}")
    total = words + further + special
    rows = np.arange(len(lines))
    names = [f"{number} {label(line)}" for number, line in enumerate(lines, start=1)]
    figure = go.Figure(
        [
            go.Bar(
                x=counts,
                y=rows,
                orientation="h",
                name=name,
                marker_color=color,
                customdata=names,
                hovertemplate="%{customdata}<br>%{x} tokens " + name + "<extra></extra>",
            )
            for (name, counts), color in zip(
                parts.items(), (TOKEN, SENTENCES[-1], MUTED), strict=True
            )
        ]
    )
    longest = int(total.max(initial=1))
    if longest > 0.8 * room:
        figure.add_vline(x=room, line_dash="dash", line_color=SENTENCES[1])
        figure.add_annotation(
            x=room, y=1, yref="paper", yanchor="bottom", text=f"room for {room}", showarrow=False
        )
    figure.update_xaxes(title_text="tokens", zeroline=True, rangemode="tozero", tickformat=",d")
    figure.update_yaxes(**named_rows(names))
    compact(figure, ROW * max(len(lines), 2) + 190)
    return figure.update_layout(
        barmode="stack",
        bargap=0.25,
        showlegend=True,
        margin_b=110,
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "traceorder": "normal",
        },
    )
