"""The search for the pieces of a word, try by try."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import MENU, compact, label
from bertviz_core.figures.colors import MUTED, TOKEN

HOLLOW = "rgba(138, 143, 152, 0.16)"
ROW = 24  # pixels


def word_search_bars(
    word: str,
    pieces: Sequence[str],
    spans: NDArray[np.int64],
    token_ids: Sequence[int | None],
    *,
    first: int = 1,
) -> go.Figure:
    """Draw every piece that was looked for as a bar over its characters, the first try on top.

    Args:
        word: The word searched.
        pieces: n pieces in the order tried.
        spans: int64 (n, 2), first and one-past-last character of each.
        token_ids: Row of each piece in the token table, or None where there is none.
        first: Number of the first try.

    Returns:
        A bar chart with n bars; pieces of the vocabulary are filled, and named with their id.

    Raises:
        ValueError: There is not one span and one id a piece.
    """
    if spans.shape != (len(pieces), 2) or len(token_ids) != len(pieces):
        raise ValueError(
            f"spans have shape {spans.shape}, pieces {(len(pieces),)}, ids {(len(token_ids),)}"
        )
    rows = np.arange(len(pieces))
    found = [token_id is not None for token_id in token_ids]
    names = [label(piece) for piece in pieces]
    figure = go.Figure(
        go.Bar(
            base=spans[:, 0],
            x=spans[:, 1] - spans[:, 0],
            y=rows,
            orientation="h",
            marker={
                "color": [TOKEN if hit else HOLLOW for hit in found],
                "line": {"color": [TOKEN if hit else MUTED for hit in found], "width": 1},
            },
            customdata=[
                f"{name}: id {token_id}" if token_id is not None else f"{name}: not in it"
                for name, token_id in zip(names, token_ids, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.update_xaxes(
        side="top",
        range=[0, max(len(word), 1)],
        tickmode="array",
        tickvals=np.arange(len(word)) + 0.5,
        ticktext=[label(char) for char in word],
        tickangle=0,
        tickfont={"family": "monospace", "size": 14},
        showgrid=False,
        zeroline=False,
    )
    figure.update_yaxes(
        range=[len(pieces) - 0.5, -0.5],
        tickmode="array",
        tickvals=rows,
        ticktext=[
            f"{number} {name}" if token_id is None else f"<b>{number} {name} = {token_id}</b>"
            for number, (name, token_id) in enumerate(
                zip(names, token_ids, strict=True), start=first
            )
        ],
        showgrid=False,
    )
    compact(figure, ROW * max(len(pieces), 2) + 84)
    # The characters stand on top of the bars, below the chart's menu.
    return figure.update_layout(bargap=0.2, margin_t=MENU + 30)
