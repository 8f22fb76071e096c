"""What each other word of a sentence does to a similarity: bars over the sentence, and a map."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import MOST_UPRIGHT, Axis, label, layers, titled
from bertviz_core.figures.colors import DIVERGING, DIVERGING_SCALE, TOKEN
from bertviz_core.figures.drawing import Figure, draw, frame

LEAST_LIMIT = 1e-4  # below it a scale would only show rounding
MOST_WITH_NUMBERS = 14


def influence_bars(
    changes: NDArray[np.float32],
    words: Sequence[str],
    followed: int,
    hints: Sequence[str] = (),
) -> Figure:
    """Draw the change of a similarity that taking away each word makes, over the sentence.

    Args:
        changes: float32 (n,), change of cosine; NaN at `followed`.
        words: n words in the order of the sentence.
        followed: Position of the word that is followed and never taken away.
        hints: What the pointer tells beside the number; none, or one a word.

    Returns:
        A bar chart with n bars, blue below zero and red above. Of more than 25 words those that
        change most are named.

    Raises:
        ValueError: There is not one change a word, or no such position.
    """
    _check(changes.shape, (len(words),), followed)
    known = np.nan_to_num(changes)
    limit = max(float(np.abs(known).max()), LEAST_LIMIT)
    further = [f"<br>{label(hint, 60)}" for hint in hints] or [""] * len(words)
    bars = {
        "type": "bar",
        "x": np.arange(len(words)),
        "y": known.astype(np.float32),
        "marker": {"color": [DIVERGING[2] if change < 0 else DIVERGING[8] for change in known]},
        "text": [
            "" if i == followed or len(words) > MOST_WITH_NUMBERS else f"{change:+.3f}"
            for i, change in enumerate(known)
        ],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": [
            f"without {label(word)}<br>{change:+.4f}{hint}"
            for word, change, hint in zip(words, known, further, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    behind = {
        "type": "rect",
        "x0": followed - 0.5,
        "x1": followed + 0.5,
        "y0": 0,
        "y1": 1,
        "yref": "y domain",
        "fillcolor": TOKEN,
        "opacity": 0.14,
        "line": {"width": 0},
    }
    return draw(
        [bars],
        height=340,
        bargap=0.25,
        shapes=[behind],
        xaxis=_word_axis(words, followed, known),
        yaxis=titled("change of similarity", range=[-1.25 * limit, 1.25 * limit], zeroline=True),
    )


def influence_map(
    changes: NDArray[np.float32], words: Sequence[str], followed: int, *, layer: int
) -> Figure:
    """Draw the same change at every layer.

    Args:
        changes: float32 (layers, n), layer 0 first; NaN in column `followed`.
        words: n words in the order of the sentence.
        followed: Position of the word that is followed.
        layer: The layer to frame.

    Returns:
        A heatmap with the last layer on top, on a scale symmetric around zero.

    Raises:
        ValueError: There is not one column a word, or no such position.
    """
    _check(changes.shape[1:], (len(words),), followed)
    limit = max(float(np.nanmax(np.abs(np.append(changes, 0)))), LEAST_LIMIT)
    cells = {
        "type": "heatmap",
        "z": changes,
        "zmin": -limit,
        "zmax": limit,
        "colorscale": DIVERGING_SCALE,
        "customdata": np.tile([label(word) for word in words], (len(changes), 1)),
        "hovertemplate": "without %{customdata}<br>layer %{y}<br>%{z:+.4f}<extra></extra>",
        "hoverongaps": False,
    }
    return draw(
        [cells],
        height=22 * len(changes) + 150,
        shapes=[frame((0, len(words) - 1), (layer, layer), TOKEN)],
        xaxis=_word_axis(words, followed, np.nan_to_num(changes[layer])),
        yaxis=layers("layer", showgrid=False),
    )


def _word_axis(words: Sequence[str], followed: int, changes: NDArray[np.float32]) -> Axis:
    names = [label(word, 16) for word in words]
    names[followed] = f"<b>{names[followed]}</b>"
    positions = _labelled(changes, followed)
    return {
        "tickmode": "array",
        "tickvals": positions,
        "ticktext": [names[i] for i in positions],
        "range": [-0.5, len(words) - 0.5],
    }


def _labelled(changes: NDArray[np.float32], followed: int) -> list[int]:
    """Positions to label: all, or the followed one and the strongest that are not too near."""
    gap = -(-len(changes) // MOST_UPRIGHT)
    shown = [followed]
    for position in np.argsort(-np.abs(changes), kind="stable").tolist():
        if all(abs(position - other) >= gap for other in shown):
            shown.append(position)
    return sorted(shown)


def _check(shape: tuple[int, ...], expected: tuple[int, ...], followed: int) -> None:
    if shape != expected:
        raise ValueError(f"changes have shape {shape}, words {expected}")
    if not 0 <= followed < expected[0]:
        raise ValueError(f"word {followed} of {expected[0]}")
