"""Figures that play: the browser moves their points through the layers, no page runs again."""

from collections.abc import Sequence

from bertviz_core.figures.colors import MUTED
from bertviz_core.figures.drawing import Trace

MENU = 46  # pixels kept free above a chart that plays, for the button
STAY, MOVE = 1_000, 700  # milliseconds from layer to layer, and of these on the way


def layer_frames(changes: Sequence[Sequence[Trace]], *, first: int = 0) -> list[Trace]:
    """Frames for `draw`, one a layer, named "0", "1", ...

    Args:
        changes: Of each layer what changes in some of the figure's traces: a part of each trace,
            with its "type". Trace i is about the same thing at all layers.
        first: Number of the first of these traces in the figure.
    """
    return [
        {
            "name": str(layer),
            "data": list(traces),
            "traces": list(range(first, first + len(traces))),
        }
        for layer, traces in enumerate(changes)
    ]


def play_menu(layers: int, layer: int) -> Trace:
    """A menu of a layout with the button Play, on the left above the chart.

    It goes from layer 0 to the last, and ends at the layer that the figure shows otherwise, so
    that what the page says fits the picture again.

    Args:
        layers: How many frames there are.
        layer: The one that the figure shows.
    """
    order = list(range(layers))
    names = [str(number) for number in (order if layer == order[-1] else [*order, layer])]
    moves = {
        "frame": {"duration": STAY, "redraw": False},
        "transition": {"duration": MOVE, "easing": "cubic-in-out"},
        "mode": "immediate",
    }
    return {
        "type": "buttons",
        "showactive": False,
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "bottom",
        "pad": {"b": 4},
        "bgcolor": "rgba(0, 0, 0, 0)",
        "bordercolor": MUTED,
        "buttons": [{"label": "▶ Play", "method": "animate", "args": [names, moves]}],
    }
