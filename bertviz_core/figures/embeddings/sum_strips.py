"""One token's sum, written as a sum: row + row + row = row, and what LayerNorm makes of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label, titled, width_of
from bertviz_core.figures.colors import DIVERGING_SCALE
from bertviz_core.figures.drawing import Figure, Trace, draw
from bertviz_core.figures.template import MENU

STEP = 1.55  # from one strip to the next, in strips: the sign between takes the rest
HEIGHT = 40  # pixels of a strip
BOTTOM = 44  # pixels below the last strip, for the axis


@dataclass(frozen=True, eq=False)
class Strip:
    """One row of numbers.

    Attributes:
        name: What it is: "position 5".
        sign: What stands before it: "", "+", "=" or "→".
        values: float32 (number of dimensions shown,).
        limit: The value, above 0, at which its colours saturate.
        color: The colour that stands for it everywhere.
    """

    name: str
    sign: str
    values: NDArray[np.float32]
    limit: float
    color: str


def sum_strips(strips: Sequence[Strip]) -> Figure:
    """Draw rows of numbers below each other, with the signs of the sum between them.

    Args:
        strips: At least one, all of the same dimensions, from dimension 0 on.

    Returns:
        One heatmap a strip on a shared axis, red above zero and blue below.

    Raises:
        ValueError: The strips differ in length.
    """
    sizes = {len(strip.values) for strip in strips}
    if len(sizes) != 1:
        raise ValueError(f"strips have lengths {sorted(sizes)}, not one length")
    (size,) = sizes
    middles = [STEP * number for number in range(len(strips))]
    last = middles[-1] + 0.5
    span = last + 0.5
    traces: list[Trace] = [
        {
            "type": "heatmap",
            "z": strip.values[None],
            "y0": middle,
            "zmin": -strip.limit,
            "zmax": strip.limit,
            "colorscale": DIVERGING_SCALE,
            "showscale": False,
            "xgap": 1,
            "name": label(strip.name),
            "hovertemplate": f"{label(strip.name)}, dimension %{{x}}: %{{z:.4f}}<extra></extra>",
        }
        for strip, middle in zip(strips, middles, strict=True)
    ]
    names = [
        f'<span style="color:{strip.color}">■</span> {label(strip.name)}<br>±{strip.limit:.2g}'
        for strip in strips
    ]
    signs = [
        {
            "text": f"<b>{strip.sign}</b>",
            "x": 0.5,
            "xref": "paper",
            "y": middle - STEP / 2,
            "yanchor": "middle",
            "font": {"size": 20},
        }
        for strip, middle in zip(strips, middles, strict=True)
        if strip.sign
    ]
    return draw(
        traces,
        height=round(HEIGHT * span) + MENU + BOTTOM,
        annotations=signs,
        # Room by estimate: what Plotly measures takes it longer than the strips.
        margin={"l": width_of([strip.name + "##" for strip in strips]), "b": BOTTOM},
        xaxis=titled(
            "dimension",
            automargin=False,
            ticklabeloverflow="allow",
            range=[-0.5, size - 0.5],
        ),
        yaxis={
            "range": [last, -0.5],
            "tickmode": "array",
            "tickvals": middles,
            "ticktext": names,
            "showgrid": False,
            "fixedrange": True,
            "automargin": False,
            "ticklabeloverflow": "allow",
        },
    )
