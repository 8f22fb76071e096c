"""Bars over the characters of a word, and over the words of a sentence."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, Ids
from bertviz_core.figures.axes import MAX_UPRIGHT, label, named, named_rows
from bertviz_core.figures.colors import MARK, MENU, MUTED, NEGATIVE, POSITIVE, TOKEN, faint
from bertviz_core.figures.drawing import Figure, bars, draw


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
    trace = bars(
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
        [trace],
        height=20 * max(len(pieces), 2) + 84,
        bargap=0.2,
        margin={"t": MENU + 30},
        xaxis=characters,
        yaxis=named_rows(rows),
    )


def word_bars(
    values: Array,
    words: Sequence[str],
    own: Sequence[int],
    hints: Sequence[str],
    positive: str = POSITIVE,
    **axis: Any,
) -> Figure:
    """Draw one bar a word of a sentence. The bars `own` are of the followed word, in bold.

    Of many words, names are printed for the followed one and for the largest bars with room.
    """
    names = [label(word, 16) for word in words]
    gap, shown = -(-len(values) // MAX_UPRIGHT), list(own)
    for number in np.argsort(-np.abs(values), kind="stable").tolist():
        if gap < 2 or all(abs(number - other) >= gap for other in shown):
            shown.append(number)
    shown = sorted(set(shown))
    trace = bars(
        values,
        "%{customdata}",
        [
            MARK if i in own else NEGATIVE if value < 0 else positive
            for i, value in enumerate(values)
        ],
        customdata=[f"{label(word)}<br>{hint}" for word, hint in zip(words, hints, strict=True)],
    )
    return draw(
        [trace],
        height=320,
        bargap=0.25,
        xaxis={
            "tickmode": "array",
            "tickvals": shown,
            "ticktext": [f"<b>{names[i]}</b>" if i in own else names[i] for i in shown],
            "range": [-0.5, len(words) - 0.5],
        },
        yaxis={"zeroline": True} | axis,
    )
