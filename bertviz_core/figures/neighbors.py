"""A search of the token table: the nearest tokens, and where they stand among all."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label, named_rows, titled
from bertviz_core.figures.colors import MUTED, TOKEN
from bertviz_core.figures.drawing import Figure, draw, vertical_line

BINS = 120


def neighbor_bars(
    tokens: Sequence[str],
    scores: NDArray[np.float32],
    *,
    score_name: str,
    left_out: NDArray[np.bool_] | None = None,
    details: Sequence[str] = (),
) -> Figure:
    """Draw the score of each neighbour, best on top.

    Args:
        tokens: k tokens, best first.
        scores: float32 (k,).
        score_name: What the scores are, for the axis: "cosine similarity".
        left_out: bool (k,), which tokens stand there but are no answers: grey, with their rank.
        details: What the pointer tells of each beside its score; none, or one a token.

    Returns:
        A bar chart with k bars, each with its number.

    Raises:
        ValueError: There is not one score a token, or one detail a token where there are any.
    """
    if scores.shape != (len(tokens),):
        raise ValueError(f"scores have shape {scores.shape}, tokens {(len(tokens),)}")
    if details and len(details) != len(tokens):
        raise ValueError(f"details have shape {(len(details),)}, tokens {(len(tokens),)}")
    names = [label(token) for token in tokens]
    grey = np.zeros(len(tokens), dtype=bool) if left_out is None else left_out
    extra = [f"<br>{label(detail, 100)}" for detail in details] or [""] * len(names)
    bars = {
        "type": "bar",
        "x": scores,
        "y": np.arange(len(tokens)),
        "orientation": "h",
        "marker": {"color": np.where(grey, MUTED, TOKEN).tolist() if grey.any() else TOKEN},
        "text": [
            f"{score:.3f}, rank {rank}, left out" if out else f"{score:.3f}"
            for rank, (score, out) in enumerate(zip(scores, grey, strict=True), start=1)
        ],
        "textposition": "auto",
        "insidetextfont": {"color": np.where(grey, "#000000", "#FFFFFF").tolist()},
        "customdata": [name + more for name, more in zip(names, extra, strict=True)],
        "hovertemplate": f"%{{customdata}}<br>{score_name} %{{x:.4f}}<extra></extra>",
    }
    return draw(
        [bars],
        height=22 * len(tokens) + 90,
        bargap=0.15,
        xaxis=titled(score_name, zeroline=True),
        yaxis=named_rows(names),
    )


def score_distribution(
    all_scores: NDArray[np.float32],
    marked: NDArray[np.float32],
    *,
    score_name: str,
    lines: bool = False,
) -> Figure:
    """Draw how the scores of all rows are spread, with a few marked below.

    Args:
        all_scores: float32 (n,), at least one.
        marked: float32 (k,), the scores to mark.
        score_name: What the scores are, for the axis.
        lines: Whether lines over the whole height mark them as well, for marks among high bars.

    Returns:
        A histogram of 120 bins whose counts add up to n, and k ticks on the zero line.

    Raises:
        ValueError: `all_scores` is empty.
    """
    if all_scores.size == 0:
        raise ValueError("no scores to show")
    counts, edges = np.histogram(all_scores, bins=BINS)
    bars = {
        "type": "bar",
        "x": ((edges[:-1] + edges[1:]) / 2).astype(np.float32),
        "y": counts,
        "width": float(edges[1] - edges[0]),
        "marker": {"color": MUTED},
        "hovertemplate": f"{score_name} %{{x:.3f}}<br>%{{y:,}} tokens<extra></extra>",
    }
    ticks = {
        "type": "scatter",
        "mode": "markers",
        "x": marked,
        "y": np.zeros(len(marked), dtype=np.int8),
        "marker": {"symbol": "line-ns", "size": 18, "line": {"width": 2, "color": TOKEN}},
        "hovertemplate": f"{score_name} %{{x:.4f}}<extra></extra>",
    }
    return draw(
        [bars, ticks],
        height=250,
        bargap=0,
        shapes=[vertical_line(float(score), TOKEN, 2.5, "solid") for score in marked if lines],
        xaxis=titled(score_name),
        yaxis=titled("tokens", rangemode="tozero"),
    )
