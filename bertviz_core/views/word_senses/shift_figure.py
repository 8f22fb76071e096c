"""How far two groups of occurrences are apart, layer by layer."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.corpus.shift.resamples import Measure
from bertviz_core.figures.axes import layers as layer_axis
from bertviz_core.figures.axes import titled
from bertviz_core.figures.colors import MUTED, TOKEN, faint
from bertviz_core.figures.drawing import Figure, band, draw, line, vertical_line

HEIGHT = 320  # pixels


def shift_by_layer(name: str, measure: Measure, layers: Sequence[int], *, layer: int) -> Figure:
    """Draw a measure over the layers; points are full where it is above chance."""
    x = np.array(layers, np.float32)
    ends = (measure.low, measure.high, measure.chance_low, measure.chance_high)
    low, high, chance_low, chance_high = (each.astype(np.float32) for each in ends)
    hover = (
        f"layer %{{x}}<br>{name} %{{y:.3f}}"
        "<br>95% interval %{customdata[0]:.3f} to %{customdata[1]:.3f}"
        "<br>at random %{customdata[2]:.3f} to %{customdata[3]:.3f}"
    )
    above = measure.values > measure.chance_high
    marker = {
        "color": TOKEN,
        "size": 9,
        "symbol": ["circle" if each else "circle-open" for each in above],
        "line": {"width": 2, "color": TOKEN},
    }
    shown = "measured (full: above random groups)"
    values = np.stack([low, high, chance_low, chance_high], axis=1)
    curve = line(x, measure.values.astype(np.float32), shown, hover, marker=marker)
    return draw(
        [
            band(x, low, high, "95% interval", faint(TOKEN, 0.22)),
            band(x, chance_low, chance_high, "groups made at random", faint(MUTED, 0.5)),
            curve | {"customdata": values},
        ],
        height=HEIGHT,
        legend=True,
        shapes=[vertical_line(layer)],
        xaxis=layer_axis(numbers=layers),
        yaxis=titled(name, tickformat=".2f", nticks=6),
    )
