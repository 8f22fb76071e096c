"""How alike marked words are: over the layers, and every one to every other."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label, layers, named, named_rows, titled
from bertviz_core.figures.colors import SIMILARITY
from bertviz_core.figures.drawing import Figure, draw, line, vertical_line

MOST_WITH_NUMBERS = 12
HINT = "<br>%{customdata}"


def similarity_curves(
    curves: NDArray[np.float32],
    names: Sequence[str],
    *,
    layer: int | None = None,
    hints: NDArray[np.str_] | None = None,
) -> Figure:
    """Draw one curve a name over the layers 0 (input embedding) to the last.

    Args:
        curves: float32 (n, num_hidden_layers + 1), cosines.
        names: n names, for the legend.
        layer: A layer to mark by a vertical line.
        hints: Of the same shape, what the pointer tells of each cosine as well.

    Returns:
        A line chart; curves differ in colour and in line style.

    Raises:
        ValueError: There is not one curve a name, or not one hint a cosine.
    """
    if curves.ndim != 2 or len(curves) != len(names):
        raise ValueError(f"curves have shape {curves.shape}, names {(len(names),)}")
    if hints is not None and hints.shape != curves.shape:
        raise ValueError(f"curves have shape {curves.shape}, hints {hints.shape}")
    hover = "layer %{x}<br>%{y:.3f}" + ("" if hints is None else HINT)
    lines = [
        line(
            np.arange(curves.shape[1]),
            curve,
            name,
            hover,
            number,
            customdata=None if hints is None else hints[number],
        )
        for number, (curve, name) in enumerate(zip(curves, names, strict=True))
    ]
    return draw(
        lines,
        height=380,
        legend=True,
        shapes=[] if layer is None else [vertical_line(layer)],
        xaxis=layers(),
        yaxis=titled("cosine similarity", tickformat=".2f"),
    )


def similarity_matrix_heatmap(
    values: NDArray[np.float32],
    names: Sequence[str],
    *,
    hints: NDArray[np.str_] | None = None,
) -> Figure:
    """Draw a matrix of cosines, with its numbers while they are readable.

    Args:
        values: float32 (n, n), cosines.
        names: n names; equal ones stay apart, because the axes count positions.
        hints: Of the same shape, what the pointer tells of each cosine as well.

    Returns:
        A heatmap on Viridis, from the smallest value to 1, bright where two are alike.

    Raises:
        ValueError: `values` is not square or has not one row a name, or not one hint a cosine.
    """
    count = len(names)
    if values.shape != (count, count):
        raise ValueError(f"values have shape {values.shape}, names make {(count, count)}")
    if hints is not None and hints.shape != values.shape:
        raise ValueError(f"values have shape {values.shape}, hints {hints.shape}")
    cells = {
        "type": "heatmap",
        "z": values,
        "zmin": float(values.min(initial=0.99)),
        "zmax": 1.0,
        "colorscale": SIMILARITY,
        "texttemplate": "%{z:.2f}" if count <= MOST_WITH_NUMBERS else None,
        "customdata": hints,
        "hovertemplate": "%{y}<br>%{x}<br>%{z:.3f}"
        + ("" if hints is None else HINT)
        + "<extra></extra>",
    }
    shown = [label(name, 18) for name in names]
    return draw(
        [cells],
        height=max(40 * count + 130, 380),
        xaxis=named(shown, max(count, 1)),
        yaxis=named_rows(shown),
    )
