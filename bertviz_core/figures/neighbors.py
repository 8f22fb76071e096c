"""The nearest tokens of a search, as bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import label, named_rows, titled
from bertviz_core.figures.colors import MUTED, TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw

MENU = 30  # pixels for the chart's menu, right of bars that have no room above them


def neighbor_bars(
    tokens: Sequence[str],
    scores: Array,
    *,
    score_name: str,
    left_out: NDArray[np.bool_] | None = None,
    span: tuple[float, float] | None = None,
    width: int = 0,
) -> Figure:
    """Draw the score of each neighbour, best on top.

    Args:
        tokens: k tokens, best first.
        scores: float32 (k,).
        score_name: What the scores are, for the axis: "cosine similarity".
        left_out: bool (k,), tokens that are shown but are not answers: grey, with their rank.
        span: The lowest and the highest score of several charts that are to have one scale.
        width: Pixels left of the bars, for charts below each other; these print no axis.

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
    across: dict[str, Any] = {"automargin": not width, "showticklabels": not width}
    if span is not None:  # from zero, with a little room
        low, high = min(float(span[0]), 0.0), max(float(span[1]), 0.0)
        room = 0.05 * (high - low)
        across["range"] = [low - room if low else 0.0, high + room if high else 0.0]
    slim: dict[str, Any] = {
        "margin": {"l": width, "r": MENU, "t": 4, "b": 4},
        "modebar": {"orientation": "v", "remove": ["zoom2d", "pan2d", "resetScale2d"]},
    }
    return draw(
        [trace],
        height=22 * len(tokens) + (8 if width else 90),
        bargap=0.15,
        xaxis=titled("" if width else score_name, zeroline=True, **across),
        yaxis=named_rows(names, automargin=not width),
        **(slim if width else {}),
    )
