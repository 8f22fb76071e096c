"""How far two groups of occurrences are apart, layer by layer."""

from collections.abc import Mapping, Sequence

import numpy as np

from bertviz_core.arrays import Array, Exact
from bertviz_core.corpus.shift.resamples import Measure
from bertviz_core.figures.axes import layers as layer_axis
from bertviz_core.figures.axes import suffix
from bertviz_core.figures.colors import MUTED, TOKEN, faint
from bertviz_core.figures.drawing import Figure, Trace, band, draw, line, panel_title, vertical_line

HEIGHT = 480  # pixels
_DOMAINS = (0.56, 0.95), (0.0, 0.39)  # of the height: of the upper panel, and of the lower one


def shift_by_layer(measures: Mapping[str, Measure], layers: Sequence[int], *, layer: int) -> Figure:
    """Draw two measures, by name, one above the other; points are full where above chance."""
    x = np.array(layers, np.float32)
    traces: list[Trace] = []
    for number, (name, measure) in enumerate(measures.items(), start=1):
        interval, chance = (measure.low, measure.high), (measure.chance_low, measure.chance_high)
        drawn = (
            _between(x, *interval, "95% interval", faint(TOKEN, 0.22)),
            _between(x, *chance, "groups made at random", faint(MUTED, 0.5)),
            _curve(x, name, measure),
        )
        own = {"yaxis": f"y{suffix(number)}", "showlegend": number == 1}
        traces += [trace | own for trace in drawn]
    scales = [{"domain": domain, "tickformat": ".2f", "nticks": 6} for domain in _DOMAINS]
    return draw(
        traces,
        height=HEIGHT,
        legend=True,
        annotations=[
            panel_title(f"<b>{name}</b>", y=domain[1])
            for name, domain in zip(measures, _DOMAINS, strict=True)
        ],
        shapes=[vertical_line(layer) | {"yref": "paper", "y0": 0, "y1": _DOMAINS[0][1]}],
        xaxis=layer_axis(numbers=layers, anchor="y2"),
        yaxis=scales[0],
        yaxis2=scales[1],
    )


def _between(x: Array, low: Exact, high: Exact, name: str, color: str) -> Trace:
    """A band over the layers at which both ends are finite."""
    kept = np.isfinite(low) & np.isfinite(high)
    return band(x[kept], _finite(low)[kept], _finite(high)[kept], name, color)


def _curve(x: Array, name: str, measure: Measure) -> Trace:
    """The measure itself, with all its numbers under the pointer."""
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
    ends = (measure.low, measure.high, measure.chance_low, measure.chance_high)
    values = np.stack([_finite(each) for each in ends], axis=1)
    return line(x, _finite(measure.values), shown, hover, marker=marker, customdata=values)


def _finite(values: Exact) -> Array:
    """What a chart can show: a measure that is infinite leaves a gap."""
    return np.where(np.isfinite(values), values, np.nan).astype(np.float32)
