"""A word's paths in its sentences: from one point at layer 0 until they part."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import label, layers, width_of
from bertviz_core.figures.colors import MUTED, ink
from bertviz_core.figures.drawing import Figure, Trace, draw, panel_title
from bertviz_core.figures.playing import layer_frames, layer_scrubber, play_menu
from bertviz_core.figures.template import THICKER
from bertviz_core.views.home.bands import ROW_LARGE, STEPS

HEIGHT = 300
HEIGHT_LARGE, MIN_LARGE = 220, 196  # with the example's bands above, and with more rows
ROWS = 7  # tokens of the example
SIDES, SIDES_LARGE = 20, 30  # pixels above the axes, for what is up and down
SLIDER = 58  # pixels above that
SMALL, LARGE = 8, 24  # pixels of a dot, and of the one at a path's end
ROOM = 0.2  # of the range, above and below the paths
CLOSE = 0.3  # of the height: words beside ends that are nearer would meet


class Path(NamedTuple):
    """A word in its sentence."""

    name: tuple[str, str, str]  # what comes before the word, the word, what comes after it
    heights: Array  # float32 (layers,)
    hints: Sequence[str]  # what the pointer says at each layer
    color: str
    end: str = ""  # the word that it leans to at its end, "" for none
    near: str = ""  # the address that this word opens


def parting(
    paths: Sequence[Path],
    anchors: Sequence[str],
    middle: Array | None,
    *,
    opens: str,
    large: bool = False,
    rows: int = ROWS,
) -> Figure:
    """Draw paths over the layers, by how much nearer to the first of two anchors they are.

    `middle` (layers,) is where a word leans to neither. A tap on a path opens an address. It plays
    the `STEPS` before layer 0 as well, for the charts that move with it. In large type it leaves
    room for bands of `rows` tokens.
    """
    count = len(paths[0].heights)
    last = len(STEPS) + count - 2  # the input embedding is layer 0
    pointed = [[label(hint, 100) for hint in path.hints] for path in paths]

    def where(step: int, times: float = 1.0) -> list[Trace]:
        """What differs from step to step: of the paths, then of the middle."""
        reached = np.arange(max(step - len(STEPS) + 2, 0))
        traces: list[Trace] = []
        for number, path in enumerate(paths, start=1):
            sizes, texts = [SMALL * times] * len(reached), [""] * len(reached)
            sizes[-1:], texts[-1:] = (
                [LARGE * times][: len(sizes)],
                [f"<b>{number}</b>"][: len(sizes)],
            )
            traces.append({
                "type": "scatter", "x": reached, "y": path.heights[reached], "text": texts,
                "marker": {"size": sizes, "color": path.color, "opacity": 1},
                "customdata": pointed[number - 1][: len(reached)],
            })  # fmt: skip
        if middle is not None:
            traces.append({"type": "scatter", "x": reached, "y": middle[reached]})
        return traces

    looks = [_path(path, number) | {"meta": opens} for number, path in enumerate(paths, start=1)]
    line = {"color": MUTED, "dash": "dot", "width": 1.5}
    looks.append({"mode": "lines", "line": line, "name": "leans to neither", "hoverinfo": "skip"})
    every = np.concatenate([path.heights for path in paths])
    room = max(ROOM * float(np.ptp(every)), 0.02)
    span = [float(every.min()) - room, float(every.max()) + room]
    arrows = (
        f"{up} nearer to <b>{label(one, 14)}</b>" for up, one in zip("↑↓", anchors, strict=False)
    )
    side = panel_title("   ".join(arrows), y=1)  # where no path is
    ends = _ends(paths, span[1] - span[0])
    names = [*STEPS, *(f"layer {layer}" for layer in range(1, count))]
    labels = [*STEPS, *(f"layer {layer} of {count - 1}" for layer in range(1, count))]
    above = SIDES_LARGE if large else SIDES
    slider = layer_scrubber(len(names), last, prefix="", labels=labels)
    frames = layer_frames([where(step, THICKER if large else 1) for step in range(last + 1)])
    across = layers(numbers=(0, count - 1), range=[-0.2, count - 0.8], showgrid=True)
    across |= {"fixedrange": True, "title": across["title"] | {"standoff": 8}}
    if large:  # an audience reads the layer above the slider
        del across["title"]
    return draw(
        [look | there for look, there in zip(looks, where(last), strict=False)],
        height=max(HEIGHT_LARGE - ROW_LARGE * (rows - ROWS), MIN_LARGE) if large else HEIGHT,
        frames=[
            frame | {"layout": {"annotations": [side, *(ends if step == last else [])]}}
            for step, frame in enumerate(frames)
        ],
        # At the lower edge of the chart, whatever room Plotly needs for it; a click hides nothing.
        legend={
            **{"yref": "container", "y": 0, "yanchor": "bottom"},
            **{"itemclick": False, "itemdoubleclick": False},
        },
        annotations=[side, *ends],
        dragmode=False,
        updatemenus=[play_menu(len(names), last, redraw=True) | {"pad": {"b": above + 4}}],
        # Its labels are too many to be read; the one in view is large above it.
        sliders=[slider | {"font": {"size": 1}, "pad": slider["pad"] | {"b": above}}],
        margin={"t": SLIDER + SIDES, "r": 24 + width_of([path.end for path in paths])},
        xaxis=across,
        yaxis={"range": span, "fixedrange": True, "nticks": 3 if large else 5},
    )


def _path(path: Path, number: int) -> Trace:
    before, word, after = (label(part, 40) for part in path.name)
    return {
        "mode": "lines+markers+text",
        "line": {"color": path.color, "width": 2.5},
        "textposition": "middle center",
        "textfont": {"color": ink(path.color)},
        "name": f"<b>{number}</b> · {before}<b>{word}</b>{after}",
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
    }


def _ends(paths: Sequence[Path], span: float) -> list[Trace]:
    """The words that the paths lean to, beside their ends; one above the other where they meet."""
    ends = [path for path in paths if path.end]
    heights = [path.heights[-1] for path in ends]
    meet = len(ends) > 1 and np.ptp(heights) < CLOSE * span
    return [
        {
            "text": _link(f"<b>{label(path.end)}</b>", path.near),
            **{"x": len(path.heights) - 1, "xanchor": "left", "xshift": 20},
            **{"y": float(height), "font": {"size": 15}},
            "yanchor": ("bottom" if height == max(heights) else "top") if meet else "middle",
        }
        for path, height in zip(ends, heights, strict=True)
    ]


def _link(text: str, address: str) -> str:
    return f'<a href="{escape(address)}" target="_self">{text}</a>' if address else text
