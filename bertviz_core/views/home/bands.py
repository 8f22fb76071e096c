"""A sentence as bands: its tokens' rows of three tables, and what they add up to."""

from collections.abc import Sequence
from typing import Any

from bertviz_core.arrays import Array
from bertviz_core.figures import colors
from bertviz_core.figures.axes import label, named_rows, suffix, width_of
from bertviz_core.figures.drawing import Figure, draw, frame, heatmap, panel_title
from bertviz_core.figures.playing import layer_frames

BANDS = {
    "token": colors.TOKEN,
    "+ segment": colors.SEGMENT,
    "+ position": colors.POSITION,
    "= input": colors.OUTPUT,
}
STEPS = ("words", *BANDS)  # what is seen one after another, before the layers
LEADER = "chart_plane"  # in `meta`: these charts move with the one that plays; see frames.js
ROW, ROW_LARGE, TITLE, BELOW, GAP = 15, 12, 22, 4, 0.02


def bands(
    values: Sequence[Array],
    tokens: Sequence[str],
    limits: Sequence[float],
    *,
    first: int,
    followed: Sequence[int],
    color: str,
    layers: int,
    opens: str,
    large: bool = False,
) -> Figure:
    """Draw the `BANDS` of some tokens side by side, float32 (tokens, dimensions) each.

    `first` is the position of the first token; the rows `followed` are outlined in `color`. A tap
    opens an address. There is a frame for each of `STEPS` and of the `layers` behind them.
    """
    names = [f"{at} {label(token, 12)}" for at, token in enumerate(tokens, first)]
    shown = [f"<b>{name}</b>" if row in followed else name for row, name in enumerate(names)]
    traces, titles, shapes = [], [], []
    rows: dict[str, Any] = {"automargin": False, "ticklabelstandoff": 4, "fixedrange": True}
    layout: dict[str, Any] = {"yaxis": named_rows(names, ticktext=shown, **rows)}
    for number, (title, color_of_band) in enumerate(BANDS.items()):
        axis, size = suffix(number + 1), values[number].shape[1]
        left, right = number / len(BANDS), (number + 1) / len(BANDS)
        cells = heatmap(
            values[number],
            f"%{{y}}, dimension %{{x}}: {title} <b>%{{z:.4f}}</b>",
            colors.DIVERGING_SCALE,
            (-limits[number], limits[number]),
            y=names,
            showscale=False,
            name=title,
            meta=opens,
        )
        traces.append(cells | {"xaxis": f"x{axis}"})
        titles.append(panel_title(f"<b>{title}</b>", x=left, y=1))
        edge = {"type": "line", "x0": -0.5, "x1": size - 0.5, "y0": -0.5, "y1": -0.5}
        edge |= {"line": {"color": color_of_band, "width": 4}}
        shapes.append(edge | {"xref": f"x{axis}"})
        layout[f"xaxis{axis}"] = {
            "domain": [left, right - GAP * (number < len(BANDS) - 1)],
            "range": [-0.5, size - 0.5],
            "showticklabels": False,
            "fixedrange": True,
        }
        for start, end in _runs(followed):
            shapes.append(frame((0, size - 1), (start, end), color) | {"xref": f"x{axis}"})
    changes = [
        [{"type": "heatmap", "opacity": int(band < step)} for band in range(len(BANDS))]
        for step in range(len(STEPS) + layers)
    ]
    height = TITLE + len(tokens) * (ROW_LARGE if large else ROW) + BELOW
    margin = {"l": width_of(names), "t": TITLE, "b": BELOW, "r": 4, "pad": 0}
    return draw(
        traces,
        height=height,
        frames=layer_frames(changes),
        margin=margin,
        dragmode=False,
        annotations=titles,
        shapes=shapes,
        meta=LEADER,
        **layout,
    )


def _runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """The first and last of rows that follow each other."""
    starts = [row for row in rows if row - 1 not in rows]
    ends = [row for row in rows if row + 1 not in rows]
    return list(zip(starts, ends, strict=True))
