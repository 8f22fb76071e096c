"""Bar charts: nearest tokens, pieces of a word, words of a sentence, and what a hall answered.

And words between two poles, as points.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids
from bertviz_core.figures import colors
from bertviz_core.figures.drawing import (
    MAX_UPRIGHT,
    Figure,
    bars,
    draw,
    label,
    marks,
    named,
    named_rows,
    titled,
    vertical_line,
)

# Pixels of charts below each other: left of the bars, and right of them for the chart's menu.
MARGIN_LEFT, MARGIN_RIGHT = 80, 30
MAX_ROWS = 30  # words that all have a name
MAX_LETTERS = 16  # of a word
MAX_END = 20  # letters of a pole beside an axis
VOTES_HEIGHT = 220  # more would hide the view below the bar of the tour
# Numbers from 0 to 1, in hundredths, by the first that a bar holds.
TENS = {f"{ten}": f"{ten} to {ten + 9 + (ten == 90)}" for ten in range(0, 100, 10)}


def neighbor_bars(
    tokens: Sequence[str],
    scores: Array,
    *,
    score_name: str,
    left_out: NDArray[np.bool_] | None = None,
    span: tuple[float, float] | None = None,
) -> Figure:
    """Draw the score of each neighbour, best on top.

    Args:
        tokens: k tokens, best first.
        scores: float32 (k,).
        score_name: What the scores are, for the axis: "cosine similarity".
        left_out: bool (k,), tokens that are shown but are not answers: grey, with their rank.
        span: The lowest and the highest score of several charts below each other, which have one
            scale, and print no axis.

    Returns:
        A bar chart with k bars, each with its number.

    Raises:
        ValueError: There is not one score a token.

    Example:
        >>> figure = neighbor_bars(["queen", "kings"], np.float32([0.5, 0.25]), score_name="cosine")
        >>> figure.data[0].x.tolist()
        [0.5, 0.25]
    """
    if scores.shape != (len(tokens),):
        raise ValueError(f"scores have shape {scores.shape}, tokens {(len(tokens),)}")
    names = [label(token) for token in tokens]
    grey = np.zeros(len(tokens), dtype=bool) if left_out is None else left_out
    trace = bars(
        scores,
        f"%{{customdata}}<br>{score_name} %{{x:.4f}}",
        np.where(grey, colors.MUTED, colors.TOKEN).tolist() if grey.any() else colors.TOKEN,
        across=True,
        text=[
            f"{score:.3f}, rank {rank}, left out" if out else f"{score:.3f}"
            for rank, (score, out) in enumerate(zip(scores, grey, strict=True), start=1)
        ],
        textposition="auto",
        constraintext="none",  # not smaller than other letters
        insidetextfont={"color": np.where(grey, "#000000", "#FFFFFF").tolist()},
        customdata=names,
    )
    slim = span is not None
    across: dict[str, Any] = {"automargin": not slim, "showticklabels": not slim}
    room: dict[str, Any] = {}
    if span is not None:  # from zero, with a little more at each end
        low, high = min(span[0], 0.0), max(span[1], 0.0)
        more = 0.05 * (high - low)
        across["range"] = [low - more if low else 0.0, high + more if high else 0.0]
        room["margin"] = {"l": MARGIN_LEFT, "r": MARGIN_RIGHT, "t": 4, "b": 4}
        room["modebar"] = {"orientation": "v", "remove": ["zoom2d", "pan2d", "resetScale2d"]}
    return draw(
        [trace],
        height=22 * len(tokens) + (8 if slim else 90),
        bargap=0.15,
        xaxis=titled("" if slim else score_name, zeroline=True, **across),
        yaxis=named_rows(names, automargin=not slim),
        **room,
    )


def words_figure(places: Exact, words: Sequence[str], ends: tuple[str, str]) -> Figure:
    """Draw n words as points at their places (n,), a row each, the first one lowest.

    `ends` names the poles. Of many words some rows have no name; the pointer reads it.
    """
    names = [label(word, MAX_LETTERS) for word in words]
    look = {"color": colors.TOKEN, "size": 8}
    first, last = (label(end, MAX_END) for end in ends)
    edge = max(0.5, len(words) / 60)  # rows, so that no point is cut
    return draw(
        [marks(places, np.arange(len(words)), look, "%{customdata} %{x:.3f}", customdata=names)],
        height=16 * min(len(words), MAX_ROWS) + colors.FRAME,
        shapes=[vertical_line(0)] if places.min() < 0 < places.max() else [],
        xaxis=titled(f"← {first} | {last} →"),
        yaxis=named(names, MAX_ROWS, showgrid=True, range=[-edge, len(words) - 1 + edge]),
    )


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
    rows = []
    hints = []
    is_token = []
    for number, (piece, token_id) in enumerate(zip(pieces, token_ids, strict=True), start=1):
        name = label(piece)
        is_token.append(token_id is not None)
        rows.append(f"<b>{number} {name} = {token_id}</b>" if is_token[-1] else f"{number} {name}")
        hints.append(f"{name}: id {token_id}" if is_token[-1] else f"{name}: not in the vocabulary")
    marker = {
        "color": [colors.TOKEN if hit else colors.faint(colors.MUTED, 0.16) for hit in is_token],
        "line": {"color": [colors.TOKEN if hit else colors.MUTED for hit in is_token], "width": 1},
    }
    starts, ends = spans.T
    trace = bars(
        ends - starts,
        "%{customdata}",
        "",
        across=True,
        base=starts,
        marker=marker,
        customdata=hints,
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
        margin={"t": colors.MENU + 30},
        xaxis=characters,
        yaxis=named_rows(rows),
    )


def word_bars(
    values: Array,
    words: Sequence[str],
    word_numbers: Sequence[int],
    hints: Sequence[str],
    **axis: Any,
) -> Figure:
    """Draw one bar a word of a sentence. Bars `word_numbers` are of the followed word, in bold.

    Of many words, names are printed for the followed one and for the largest bars with room.
    """
    names = [label(word, 16) for word in words]
    gap = -(-len(values) // MAX_UPRIGHT)
    labels = list(word_numbers)
    for number in np.argsort(-np.abs(values), kind="stable").tolist():
        if gap < 2 or all(abs(number - other) >= gap for other in labels):
            labels.append(number)
    labels = sorted(set(labels))
    trace = bars(
        values,
        "%{customdata}",
        [
            colors.MARK
            if i in word_numbers
            else (colors.NEGATIVE if value < 0 else colors.POSITIVE)
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
            "tickvals": labels,
            "ticktext": [f"<b>{names[i]}</b>" if i in word_numbers else names[i] for i in labels],
            "range": [-0.5, len(words) - 0.5],
        },
        yaxis={"zeroline": True} | axis,
    )


def choice_bars(
    options: Mapping[str, str], before: Counter[str], after: Counter[str] | None = None
) -> Figure:
    """How many phones chose each option, by their labels; `after` stands beside `before`."""
    rounds = {"before": (before, colors.TOKEN if after is None else colors.MUTED)}
    if after is not None:
        rounds["after"] = (after, colors.TOKEN)
    traces = []
    highest = 1
    for name, (counted, color) in rounds.items():
        counts = np.array([counted[option] for option in options])
        highest, total = max(highest, counts.max()), max(counts.sum(), 1)
        labels = [f"{count} ({count / total:.0%})" for count in counts]
        trace = bars(counts, "%{y}", color, name=name, text=labels, cliponaxis=False)
        traces.append(trace | {"textposition": "outside"})
    return draw(
        traces,
        height=VOTES_HEIGHT,
        barmode="group",
        legend=after is not None and {"y": 1, "yanchor": "bottom"},
        xaxis=named(list(options.values())),
        yaxis=titled("phones", range=[0, 1.2 * highest], dtick=math.ceil(highest / 4)),
    )


def by_tens(answers: Counter[str]) -> Counter[str]:
    """Numbers from "0.00" to "1.00", counted by the bar of `TENS` that holds them."""
    counted = Counter[str]()
    for answer, count in answers.items():
        counted[f"{min(round(100 * float(answer)) // 10, 9) * 10}"] += count
    return counted
