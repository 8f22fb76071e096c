"""The nearest tokens of a search, as bars; words between two poles, as points."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact
from bertviz_core.figures.axes import label, named_rows, titled, width_of
from bertviz_core.figures.colors import MUTED, SENTENCES, TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw, marks, vertical_line
from bertviz_core.figures.points import uncrowded
from bertviz_core.figures.template import FRAME

# Of charts below each other: pixels left of the bars, and right of them for the chart's menu.
LEFT, MENU = 80, 30
SIDE = 320  # pixels that a phone has for the points, and of their height
LINE = 25  # pixels a word is high on a projector, where the chart is hardly higher
ROOM = np.array([0.2, 0.06])  # at each end of both axes, as a share of what lies between
MAX_ROWS = 24  # words that all have a row and a name
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
    places: Sequence[Exact],
    names: Sequence[str],
    ends: Sequence[tuple[str, str]],
    *,
    groups: Sequence[tuple[str, slice]] = (("", slice(None)),),
) -> Figure:
    """Draw words by their places (n,) on one or two axes, with a line at x = 0.

    `ends` names the poles of each axis. On one axis each word has a row, the first lowest, and if
    they are few all are named. Each group, a name and a part of the words, has a colour.
    """
    points = np.column_stack([*places, np.arange(len(names))][:2])
    low, high = points.min(axis=0), points.max(axis=0)
    room = ROOM * np.where(high > low, high - low, 1)
    across, up = zip((low - room).tolist(), (high + room).tolist(), strict=True)
    texts = [label(name, MAX_LETTERS) for name in names]
    outer = points[:, 0] - (low + high)[0] / 2
    where = dict(enumerate(np.where(outer < 0, "middle right", "middle left").tolist()))
    if len(places) > 1 or len(names) > MAX_ROWS:  # names at the ends of the first axis come first
        first = np.argsort(-np.abs(outer), kind="stable").tolist()
        pixels = (points[first] - low + room) / (high - low + 2 * room) * SIDE
        sides = uncrowded(pixels, [width_of([texts[row]]) - 6 for row in first], LINE, SIDE)
        above = {1: "top center", -1: "bottom center"}
        where = {first[number]: above[side] for number, side in sides.items()}
    text = [text if row in where else "" for row, text in enumerate(texts)]
    position = [where.get(row, "top center") for row in range(len(names))]
    traces = [
        marks(
            points[part, 0],
            points[part, 1],
            {"color": color, "size": 8},
            "%{customdata}<br>%{x:.3f}" + "<br>%{y:.3f}" * (len(places) > 1),
            name=label(name, 60),
            mode="markers+text",
            text=text[part],
            textposition=position[part],
            customdata=[label(word) for word in names[part]],
        )
        for (name, part), color in zip(groups, SENTENCES, strict=False)
    ]
    titles = [f"← {label(first, MAX_END)} | {label(last, MAX_END)} →" for first, last in ends]
    rows = titled("as you wrote them →", showticklabels=False, showgrid=False)
    return draw(
        traces,
        height=max(SIDE, 17 * min(len(names), MAX_ROWS)) + FRAME + 19 * len(groups),
        legend=len(groups) > 1,
        shapes=[vertical_line(0)] if across[0] < 0 < across[1] else [],
        xaxis=titled(titles[0], range=across),
        yaxis=(titled(titles[1]) if len(places) > 1 else rows) | {"range": up},
    )
