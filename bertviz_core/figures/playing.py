"""Figures that play: the browser moves their points through the layers, without the server."""

from collections.abc import Sequence

from bertviz_core.figures.drawing import Trace, buttons

MENU = 46  # pixels above a chart, for the button
STAY, MOVE = 1_000, 700  # milliseconds from layer to layer; of these the points move so long
JUMP = 250  # milliseconds of the move to a layer that was chosen


def layer_frames(changes: Sequence[Sequence[Trace]]) -> list[Trace]:
    """Frames for `draw`, one a layer: the changes of the figure's first traces."""
    return [
        {"name": str(layer), "data": list(traces), "traces": list(range(len(traces)))}
        for layer, traces in enumerate(changes)
    ]


def layer_scrubber(
    layers: int, layer: int, *, prefix: str = "Layer ", labels: Sequence[str] = ()
) -> Trace:
    """A slider for a layout, beside Play: it moves to a frame, whose layer is large above it.

    Frames that are no layers have a `prefix` and `labels` of their own.
    """
    moves = {
        "frame": {"duration": JUMP, "redraw": True},
        "transition": {"duration": JUMP, "easing": "cubic-in-out"},
        "mode": "immediate",
    }
    return {
        "active": layer,
        "x": 0,
        "len": 1,
        "y": 1,
        "yanchor": "bottom",
        "pad": {"b": 6, "t": 0, "l": 84, "r": 12},  # on the left is Play
        "ticklen": 4,
        "currentvalue": {"prefix": prefix, "xanchor": "left", "offset": 8, "font": {"size": 22}},
        "steps": [
            {"label": label, "method": "animate", "args": [[str(at)], moves]}
            for at, label in enumerate(labels or map(str, range(layers)))
        ],
    }


def play_menu(layers: int, layer: int, *, redraw: bool = False) -> Trace:
    """A menu with Play; frames that change more than the places of points need `redraw`."""
    # From layer 0 to the last, then back to the layer of the page.
    order = list(range(layers))
    names = [str(number) for number in (order if layer == order[-1] else [*order, layer])]
    moves = {
        "frame": {"duration": STAY, "redraw": redraw},
        "transition": {"duration": MOVE, "easing": "cubic-in-out"},
        "mode": "immediate",
    }
    return buttons([{"label": "▶ Play", "method": "animate", "args": [names, moves]}])
