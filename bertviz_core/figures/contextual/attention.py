"""What a word attends to: one head as bars over the sentence, all heads as a map."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import MOST_UPRIGHT, label, named, titled
from bertviz_core.figures.colors import DIVERGING_SCALE, MARK, MUTED, SIMILARITY, TOKEN
from bertviz_core.figures.drawing import Figure, draw, frame

LEAST_LIMIT = 1e-3  # below it a scale would only show rounding


def attention_bars(
    weights: NDArray[np.float32],
    tokens: Sequence[str],
    own: Collection[int],
    special: Collection[int],
) -> Figure:
    """Draw how much a word looks at each token in one head.

    Args:
        weights: float32 (seq_len,), in [0, 1].
        tokens: The tokens of the sentence.
        own: Positions of the word's own pieces; drawn in a colour of their own, named in bold.
        special: Positions of tokens that are no part of the text; drawn in grey.

    Returns:
        A bar chart with one bar a token.

    Raises:
        ValueError: There is not one weight a token.
    """
    if weights.shape != (len(tokens),):
        raise ValueError(f"weights have shape {weights.shape}, tokens {(len(tokens),)}")
    colors = [MARK if i in own else MUTED if i in special else TOKEN for i in range(len(tokens))]
    names = [label(token, 16) for token in tokens]
    bars = {
        "type": "bar",
        "x": np.arange(len(tokens)),
        "y": weights,
        "marker": {"color": colors},
        "customdata": [f"{i} {label(token)}" for i, token in enumerate(tokens)],
        "hovertemplate": "%{customdata}<br>%{y:.4f}<extra></extra>",
    }
    ticks = [f"<b>{name}</b>" if i in own else name for i, name in enumerate(names)]
    return draw(
        [bars],
        height=320,
        bargap=0.25,
        xaxis=named(ticks, MOST_UPRIGHT, range=[-0.5, len(tokens) - 0.5]),
        yaxis=titled("attention", rangemode="tozero"),
    )


def head_map(
    values: NDArray[np.floating],
    quantity: str,
    *,
    layer: int,
    head: int,
    signed: bool = False,
) -> Figure:
    """Draw one number for each head of each layer.

    Args:
        values: (layers, heads), the first layer first; NaN leaves a cell empty.
        quantity: What the number is, for the pointer; our own words.
        layer: The layer to frame, from 1.
        head: The head to frame, from 1.
        signed: Whether the numbers are correlations, drawn from -1 to 1 around white; otherwise
            they are shares, drawn from 0.

    Returns:
        A heatmap with layer 1 at the bottom and head 1 at the left.

    Raises:
        ValueError: There is no such head.
    """
    layers, heads = values.shape
    if not (1 <= layer <= layers and 1 <= head <= heads):
        raise ValueError(f"head {layer}-{head} of {layers} layers with {heads} heads")
    largest = float(np.nan_to_num(values).max(initial=LEAST_LIMIT))
    cells = {
        "type": "heatmap",
        "x": np.arange(1, heads + 1),
        "y": np.arange(1, layers + 1),
        "z": values.astype(np.float32),
        "zmin": -1 if signed else 0,
        "zmax": 1 if signed else largest,
        "colorscale": DIVERGING_SCALE if signed else SIMILARITY,
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "hovertemplate": f"layer %{{y}}, head %{{x}}<br>{quantity} %{{z:.3f}}<extra></extra>",
    }
    return draw(
        [cells],
        height=24 * layers + 130,
        shapes=[frame((head, head), (layer, layer))],
        xaxis=titled("head", dtick=1, showgrid=False),
        yaxis=titled("layer", dtick=1, showgrid=False),
    )
