"""The nearest tokens of a search, as bars; words between two poles, as points."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact
from bertviz_core.figures.axes import label, named, named_rows, titled
from bertviz_core.figures.colors import MUTED, SENTENCES, TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw, marks, vertical_line
from bertviz_core.figures.template import FRAME

# Of charts below each other: pixels left of the bars, and right of them for the chart's menu.
LEFT, MENU = 80, 30
MAX_ROWS = 30  # words that all have a name
MAX_LETTERS, MAX_END = 16, 20  # of a word, and of a pole beside an axis


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
        np.where(grey, MUTED, TOKEN).tolist() if grey.any() else TOKEN,
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
        room["margin"] = {"l": LEFT, "r": MENU, "t": 4, "b": 4}
        room["modebar"] = {"orientation": "v", "remove": ["zoom2d", "pan2d", "resetScale2d"]}
    return draw(
        [trace],
        height=22 * len(tokens) + (8 if slim else 90),
        bargap=0.15,
        xaxis=titled("" if slim else score_name, zeroline=True, **across),
        yaxis=named_rows(names, automargin=not slim),
        **room,
    )


def words_figure(
    places: Exact,
    words: Sequence[str],
    ends: tuple[str, str],
    *,
    groups: Sequence[tuple[str, slice]] = (("", slice(None)),),
) -> Figure:
    """Draw n words as points at their places (n,), a row each, the first one lowest.

    `ends` names the poles. Each group, a name and a part of the words, has a colour. Of many words
    some rows have no name; the pointer reads it.
    """
    names = [label(word, MAX_LETTERS) for word in words]
    rows = np.arange(len(words))
    traces = [
        marks(
            places[part],
            rows[part],
            {"color": color, "size": 8},
            "%{customdata} %{x:.3f}",
            name=label(name, 60),
            customdata=names[part],
        )
        for (name, part), color in zip(groups, SENTENCES, strict=False)
    ]
    first, last = (label(end, MAX_END) for end in ends)
    edge = max(0.5, len(words) / 60)  # rows, so that no point is cut
    return draw(
        traces,
        height=16 * min(len(words), MAX_ROWS) + FRAME + 19 * len(groups),
        legend=len(groups) > 1,
        shapes=[vertical_line(0)] if places.min() < 0 < places.max() else [],
        xaxis=titled(f"← {first} | {last} →"),
        yaxis=named(names, MAX_ROWS, showgrid=True, range=[-edge, len(words) - 1 + edge]),
    )
