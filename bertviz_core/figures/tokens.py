"""The search for the pieces of a word."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.arrays import Ids
from bertviz_core.figures.axes import label, named, named_rows
from bertviz_core.figures.colors import MUTED, TOKEN, faint
from bertviz_core.figures.drawing import Figure, bars, draw
from bertviz_core.figures.template import MENU


def word_search_bars(
    word: str, pieces: Sequence[str], spans: Ids, token_ids: Sequence[int | None]
) -> Figure:
    """Draw every piece that was looked for as a bar over its characters, the first try on top.

    Args:
        word: The word searched.
        pieces: n pieces in the order tried.
        spans: int64 (n, 2), first and one-past-last character of each.
        token_ids: Row of each piece in the token table, or None where there is none.

    Returns:
        A bar chart with n bars; pieces of the vocabulary are filled, and named with their id.

    Raises:
        ValueError: There is not one span and one id a piece.

    Example:
        >>> spans = np.array([[0, 4], [0, 3], [3, 4]])
        >>> figure = word_search_bars("cats", ["cats", "cat", "##s"], spans, [None, 4937, 2015])
        >>> len(figure.data[0].y)
        3
    """
    if spans.shape != (len(pieces), 2) or len(token_ids) != len(pieces):
        raise ValueError(
            f"spans have shape {spans.shape}, pieces {(len(pieces),)}, ids {(len(token_ids),)}"
        )
    rows, hints, known = [], [], []
    for number, (piece, token_id) in enumerate(zip(pieces, token_ids, strict=True), start=1):
        name = label(piece)
        known.append(token_id is not None)
        rows.append(f"<b>{number} {name} = {token_id}</b>" if known[-1] else f"{number} {name}")
        hints.append(f"{name}: id {token_id}" if known[-1] else f"{name}: not in the vocabulary")
    marker = {
        "color": [TOKEN if hit else faint(MUTED, 0.16) for hit in known],
        "line": {"color": [TOKEN if hit else MUTED for hit in known], "width": 1},
    }
    lengths, base = spans[:, 1] - spans[:, 0], spans[:, 0]
    drawn = bars(
        lengths, "%{customdata}", "", across=True, base=base, marker=marker, customdata=hints
    )
    # The characters are above the bars, below the chart's menu.
    characters = named(
        [label(character) for character in word],
        max(len(word), 1),
        tickvals=np.arange(len(word)) + 0.5,
        range=[0, max(len(word), 1)],
        side="top",
        tickangle=0,
        tickfont={"family": "monospace"},
    )
    return draw(
        [drawn],
        height=20 * max(len(pieces), 2) + 84,
        bargap=0.2,
        margin={"t": MENU + 30},
        xaxis=characters,
        yaxis=named_rows(rows),
    )
