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
ROOM = np.array([0.2, 0.12])  # at each end of both axes, as a share of what lies between
MAX_LANES = 6
MAX_LETTERS = 16  # of a word


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


def lanes(places: Exact, most: int = MAX_LANES) -> Exact:
    """Heights 0, 1, 2, ... that keep neighbours on an axis apart: float64 (n,)."""
    heights = places.argsort().argsort() % max(min(most, len(places) // 2), 1)
    return heights.astype(np.float64)


def words_figure(
    points: Exact,
    names: Sequence[str],
    hover: Sequence[str],
    titles: tuple[str, str],
    *,
    rings: Sequence[bool],
    groups: Sequence[tuple[str, Sequence[int]]],
) -> Figure:
    """Draw words at points (n, 2), some as rings; a dotted line is at x = 0.

    Each group, a name and rows, has a colour; several have a legend. Names at the ends of the
    first axis come first. `hover` and `titles` are HTML; an upright axis without a title means
    nothing.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    start, whole = low - ROOM * span, (1 + 2 * ROOM) * span
    texts = [label(name, MAX_LETTERS) for name in names]
    first = np.argsort(-np.abs(points[:, 0] - (low + high)[0] / 2), kind="stable")
    widths = [width_of([texts[row]]) - 6 for row in first]
    placed = uncrowded((points[first] - start) / whole * SIDE, widths, LINE, SIDE)
    sides = {int(first[number]): side for number, side in placed.items()}
    traces = []
    for (name, rows), color in zip(groups, SENTENCES, strict=False):
        symbols = ["circle-open" if rings[row] else "circle" for row in rows]
        marker = {
            "color": color,
            "size": 8,
            "symbol": symbols,
            "line": {"color": color, "width": 2},
        }
        places = ["bottom center" if sides.get(row) == -1 else "top center" for row in rows]
        x, y = points[rows].T
        trace = marks(x, y, marker, "%{hovertext}", name=label(name, 60))
        trace |= {"mode": "markers+text", "textposition": places}
        trace |= {"text": [texts[row] if row in sides else "" for row in rows]}
        traces.append(trace | {"hovertext": [hover[row] for row in rows]})
    (left, bottom), (right, top) = start.tolist(), (start + whole).tolist()
    plain = {} if titles[1] else {"showticklabels": False, "showgrid": False}
    return draw(
        traces,
        height=SIDE + FRAME + 19 * len(groups),
        legend=len(groups) > 1,
        shapes=[vertical_line(0)] if left < 0 < right else [],
        xaxis=titled(titles[0], range=[left, right]),
        yaxis=titled(titles[1], range=[bottom, top], **plain),
    )
