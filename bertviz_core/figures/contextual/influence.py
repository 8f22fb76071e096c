"""What each other word of a sentence does to a similarity: bars over the sentence, and a map."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import COLOR_BAR, compact, label
from bertviz_core.figures.colors import DIVERGING, TOKEN, diverging_scale

LEAST_LIMIT = 1e-4  # below it a scale would only show rounding
MOST_LABELS = 25  # what stands side by side, upright, on a narrow screen
MOST_WITH_NUMBERS = 14


def influence_bars(
    changes: NDArray[np.float32],
    words: Sequence[str],
    followed: int,
    said: Sequence[str] = (),
) -> go.Figure:
    """Draw the change of a similarity that taking away each word makes, over the sentence.

    Args:
        changes: float32 (n,), change of cosine; NaN at `followed`.
        words: n words in the order of the sentence.
        followed: Place of the word that is followed and never taken away.
        said: What the pointer tells beside the number; none, or one a word.

    Returns:
        A bar chart with n places, blue below zero and red above. Of more than 25 words those that
        change most are named.

    Raises:
        ValueError: There is not one change a word, or no such place.
    """
    _check(changes.shape, (len(words),), followed)
    places = np.arange(len(words))
    given = np.nan_to_num(changes)
    limit = max(float(np.abs(given).max()), LEAST_LIMIT)
    numbers = [
        "" if place == followed or len(words) > MOST_WITH_NUMBERS else f"{change:+.3f}"
        for place, change in enumerate(given)
    ]
    hints = [f"<br>{label(text, 60)}" for text in said] or [""] * len(words)
    figure = go.Figure(
        go.Bar(
            x=places,
            y=given.astype(np.float32),
            marker_color=[DIVERGING[2] if change < 0 else DIVERGING[8] for change in given],
            marker_line_width=0,
            text=numbers,
            textposition="outside",
            textfont_size=12,
            cliponaxis=False,
            customdata=[
                f"without {label(word)}<br>{change:+.4f}{hint}"
                for word, change, hint in zip(words, given, hints, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.add_vrect(
        x0=followed - 0.5, x1=followed + 0.5, fillcolor=TOKEN, opacity=0.14, line_width=0
    )
    _word_axis(figure, words, followed, given)
    figure.update_yaxes(
        title_text="change of similarity", range=[-1.25 * limit, 1.25 * limit], zeroline=True
    )
    return compact(figure, 340).update_layout(bargap=0.25)


def influence_map(
    changes: NDArray[np.float32], words: Sequence[str], followed: int, *, layer: int
) -> go.Figure:
    """Draw the same change at every layer.

    Args:
        changes: float32 (layers, n), layer 0 first; NaN in column `followed`.
        words: n words in the order of the sentence.
        followed: Place of the word that is followed.
        layer: The layer to frame.

    Returns:
        A heatmap with the last layer on top, on a scale symmetric around zero.

    Raises:
        ValueError: There is not one column a word, or no such place.
    """
    _check(changes.shape[1:], (len(words),), followed)
    limit = max(float(np.nanmax(np.abs(np.append(changes, 0)))), LEAST_LIMIT)
    figure = go.Figure(
        go.Heatmap(
            z=np.ascontiguousarray(changes, dtype=np.float32),
            zmin=-limit,
            zmax=limit,
            colorscale=diverging_scale(),
            colorbar=COLOR_BAR,
            customdata=np.tile([label(word) for word in words], (len(changes), 1)),
            hovertemplate="without %{customdata}<br>layer %{y}<br>%{z:+.4f}<extra></extra>",
            hoverongaps=False,
        )
    )
    figure.add_shape(
        type="rect", x0=-0.5, x1=len(words) - 0.5, y0=layer - 0.5, y1=layer + 0.5,
        line={"color": TOKEN, "width": 2},
    )  # fmt: skip
    _word_axis(figure, words, followed, np.nan_to_num(changes[layer]))
    figure.update_yaxes(title_text="layer", dtick=1, showgrid=False, zeroline=False)
    return compact(figure, 22 * len(changes) + 150)


def _word_axis(
    figure: go.Figure, words: Sequence[str], followed: int, changes: NDArray[np.float32]
) -> None:
    shown = _labelled(changes, followed)
    figure.update_xaxes(
        tickmode="array",
        tickvals=shown,
        ticktext=[
            f"<b>{label(words[i], 16)}</b>" if i == followed else label(words[i], 16) for i in shown
        ],
        range=[-0.5, len(words) - 0.5],
        showgrid=False,
        zeroline=False,
    )


def _labelled(changes: NDArray[np.float32], followed: int) -> list[int]:
    """Places to label: all, or the followed one and the strongest that are not too near."""
    gap = -(-len(changes) // MOST_LABELS)
    shown = [followed]
    for place in np.argsort(-np.abs(changes), kind="stable").tolist():
        if all(abs(place - other) >= gap for other in shown):
            shown.append(place)
    return sorted(shown)


def _check(found: tuple[int, ...], expected: tuple[int, ...], followed: int) -> None:
    if found != expected:
        raise ValueError(f"changes have shape {found}, words {expected}")
    if not 0 <= followed < expected[0]:
        raise ValueError(f"word {followed} of {expected[0]}")
