"""Matrices: embeddings as heatmaps, and large ones as pictures with true axes.

Red is above zero, blue below.
"""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.figures.colors import (
    DIVERGING_SCALE,
    NEGATIVE,
    OUTPUT,
    POSITIVE,
    SIMILARITY,
)
from bertviz_core.figures.drawing import (
    MAX_CELLS,
    Axis,
    Figure,
    Trace,
    buttons,
    draw,
    heatmap,
    label,
    marks,
    named_rows,
    numbered,
    outline,
    titled,
    width_of,
)

if TYPE_CHECKING:
    from PIL import Image

# Pixels of a panel: a row is high enough for its name, and a panel for a title of three lines.
ROW, MIN_PANEL, MAX_PANEL = 12, 98, 192
MAX_NAMED = 16  # rows; of more tokens, some have no name
NAME, NAME_LARGE = 11, 8  # size of the names; a projector enlarges letters, but not the rows
GAP = 0.05  # between panels, as a share of their height
BOTTOM, TOP = 32, 4  # pixels below and above all panels
TITLES = 76  # pixels left of the names, for the titles
MAX_LETTERS = 14  # of a name, so that a phone has room for the picture
SIDE = 460  # pixels of a square's height
# From the upper edge of a picture down, as long as the picture is on a phone.
BAR = {"nticks": 6, "lenmode": "pixels", "len": 240, "y": 1, "yanchor": "top"}


@dataclass(frozen=True, eq=False)
class Panel:
    """One heatmap of a stack.

    Attributes:
        title: What it shows, its last word on a line of its own: "+ position".
        values: float32 (seq_len, number of dimensions shown).
        limit: The value at which its colours saturate.
        color: Its colour on all pages.
    """

    title: str
    values: Array
    limit: float
    color: str = OUTPUT


def saturation_limit(values: Array) -> float:
    """Where a signed scale should end: the 99th percentile of the absolute values, above 0.

    A few outlier dimensions of BERT are many times larger than all others; a scale up to the
    largest would leave the rest white.

    Example:
        >>> round(saturation_limit(np.float32([-1, *range(100)])), 2)
        98.0
    """
    limit = float(np.quantile(np.abs(values), 0.99)) if values.size else 0.0
    return limit or float(np.abs(values).max(initial=0)) or 1.0


def embedding_stack(
    panels: Sequence[Panel],
    tokens: Sequence[str],
    *,
    first_token: int = 0,
    chosen: int | None = None,
    window: int = 0,
    large: bool = False,
) -> Figure:
    """Draw embeddings of the same tokens below each other, each dimension in one column.

    A number under the pointer is marked in all panels, each with its own number there. Up to
    100,000 cells in all are drawn one by one; of more, each panel is a picture with true axes,
    without numbers under the pointer.

    Args:
        panels: At least one, all of one shape (len(tokens), dimensions).
        tokens: Labels of the rows.
        first_token: Position of the first row, for its label.
        chosen: Row that is outlined in all panels, and always named.
        window: How many of more columns are seen at first; dragging moves them. 0 for all.
        large: Whether it is for a projector, where names stay as small as their rows.

    Returns:
        The figure; its panels move together.

    Raises:
        ValueError: A panel has another shape than the labels say.

    Example:
        >>> panel = Panel("sum", np.float32([[1, -2, 3]]), limit=3)
        >>> embedding_stack([panel], ["python"]).data[0].z.shape
        (1, 3)
    """
    count, dimensions = len(tokens), panels[0].values.shape[1]
    for panel in panels:
        if panel.values.shape != (count, dimensions):
            raise ValueError(
                f"panel {panel.title!r} has shape {panel.values.shape}, "
                f"labels {(count, dimensions)}"
            )
    names = numbered(tokens, first_token)
    short_names = numbered(tokens, first_token, MAX_LETTERS)
    step = -(-count // MAX_NAMED)
    rows = [row for row in range(0, count, step) if chosen is None or abs(row - chosen) >= step]
    margin = TITLES + width_of(short_names)
    if chosen is not None:
        rows.append(chosen)
        short_names[chosen] = f"<b>{short_names[chosen]}</b>"
    down: Axis = {
        "range": [count - 0.5, -0.5],
        "tickvals": rows,
        "ticktext": [short_names[row] for row in rows],
        "tickfont": {"size": NAME_LARGE if large else NAME},
        "showgrid": False,
        # Plotly would make the pixels of a picture square.
        "scaleanchor": False,
        "constrain": "range",
        "automargin": False,
        "ticklabelstandoff": 6,
    }
    whole = [-0.5, dimensions - 0.5]
    axes = ["", *map(str, range(2, len(panels) + 1))]  # what follows "yaxis" in an axis's name
    across: Axis = {
        "title": {"text": "dimension"},
        "range": whole,
        "anchor": f"y{axes[-1]}",
        "automargin": False,
        "showspikes": True,  # a line through all panels
        "spikemode": "across",
        "spikesnap": "data",
        "spikedash": "solid",
        "spikethickness": 1,
    }
    layout: dict[str, Any] = {
        "xaxis": across,
        "grid": {"subplots": [[f"xy{axis}"] for axis in axes], "ygap": GAP},
        "shapes": [],
        "annotations": [],
        "dragmode": "zoom",
    }
    traces = []
    for panel, axis in zip(panels, axes, strict=True):
        if len(panels) * count * dimensions > MAX_CELLS:
            trace = _image(signed_png(panel.values, panel.limit))
        else:
            hover = f"%{{y}}: {panel.title} <b>%{{z:.4f}}</b>"
            span = (-panel.limit, panel.limit)
            trace = heatmap(panel.values, hover, DIVERGING_SCALE, span, y=names, showscale=False)
        traces.append(trace | {"name": panel.title, "yaxis": f"y{axis}"})
        sign, _, name = panel.title.rpartition(" ")
        # The end of the colours is said in text: colour bars are slow.
        text = (
            f'<span style="color:{panel.color}">■</span> <b>{sign}<br>{name}</b>'
            f"<br>±{panel.limit:.2g}"
        )
        place = {"x": 0, "xref": "paper", "xanchor": "left", "xshift": -margin}
        place |= {"y": 0.5, "yref": f"y{axis} domain", "yanchor": "middle"}
        layout["annotations"].append({"text": text, "align": "left"} | place)
        layout[f"yaxis{axis}"] = down | ({"matches": "y", "anchor": "free"} if axis else {})
        if chosen is not None:
            # A line without a colour has that of letters.
            ends = {"x0": 0, "x1": 1, "xref": "paper", "y0": chosen - 0.5, "y1": chosen + 0.5}
            layout["shapes"].append(
                {"type": "rect", "yref": f"y{axis}", "line": {"width": 1.5}} | ends
            )
    if 0 < window < dimensions:
        start = [-0.5, window - 0.5]
        across |= {"range": start, "minallowed": whole[0], "maxallowed": whole[1]}
        each = [
            {"label": name, "method": "relayout", "args": [{"xaxis.range": span}]}
            for name, span in {f"{window}": start, f"all {dimensions}": whole}.items()
        ]
        below = {"xanchor": "right", "y": 0, "yanchor": "top", "pad": {"t": 4, "r": 6}}
        layout |= {"updatemenus": [buttons(each, **below)], "dragmode": "pan"}
    return draw(
        traces,
        height=len(panels) * min(max(ROW * count, MIN_PANEL), MAX_PANEL) + TOP + BOTTOM,
        # Margins by estimate: where Plotly measures them, five heatmaps take 1.8 times as long.
        margin={"l": margin, "b": BOTTOM, "t": TOP, "pad": 0},
        hovermode="x",
        hoversubplots="axis",
        **layout,
    )


def signed_rows(values: Array, names: Sequence[str], limit: float) -> Figure:
    """Draw a few named rows of a table (rows, dimensions) on a scale symmetric around zero."""
    labels = [label(name) for name in names]
    hover = "%{y}: <b>%{z:.4f}</b>"
    return draw(
        [heatmap(values, hover, DIVERGING_SCALE, (-limit, limit), y=labels)],
        height=44 * len(names) + 130,
        xaxis=titled("dimension"),
        yaxis=named_rows(labels),
    )


def signed_png(values: Array, limit: float) -> str:
    """A PNG of a matrix on the signed scale, one pixel a cell; colours saturate at ± `limit`."""
    levels = np.clip(np.rint(values / limit * 127), -127, 127).astype(np.int16) + 127
    below, above = (np.array(list(bytes.fromhex(color[1:]))) for color in (NEGATIVE, POSITIVE))
    palette = np.where(np.arange(255)[:, None] < 127, below, above).astype(np.uint8)
    opacity = np.rint((np.abs(np.arange(255) - 127) / 127) ** 0.7 * 255).astype(np.uint8)
    return _png(levels.astype(np.uint8), palette, opacity.tobytes())


def similarity_png(values: Array, low: float) -> str:
    """A PNG of a matrix of similarities on Viridis, from `low`, below 1, to 1."""
    from plotly.colors import sample_colorscale

    levels = np.clip(np.rint((values - low) / (1 - low) * 255), 0, 255).astype(np.uint8)
    colors = sample_colorscale(SIMILARITY, np.linspace(0, 1, 256), colortype="tuple")
    return _png(levels, np.rint(255 * np.array(colors)).astype(np.uint8))


def _png(
    levels: NDArray[np.uint8], palette: NDArray[np.uint8], opacity: bytes | None = None
) -> str:
    from PIL import Image  # an eighth of what a first page imports, and few pictures need it

    image = Image.fromarray(levels, mode="P")
    image.putpalette(palette.tobytes())
    return data_uri(image, **({} if opacity is None else {"transparency": opacity}))


def data_uri(image: "Image.Image", **options: Any) -> str:
    """A picture as a PNG in a data URI."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", compress_level=1, **options)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


class Window(NamedTuple):
    """A part of a matrix."""

    rows: range
    columns: range

    @property
    def sides(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The first and the last column, and row."""
        return (self.columns[0], self.columns[-1]), (self.rows[0], self.rows[-1])


def window_around(row: int, column: int, count: int, size: int) -> Window:
    """A window of at most `size` x `size` cells around a cell, inside a square of `count` rows."""

    def span(center: int) -> range:
        first = min(max(center - size // 2, 0), max(count - size, 0))
        return range(first, min(first + size, count))

    return Window(span(row), span(column))


def similarity_picture(png: str, *, count: int, low: float, window: Window | None = None) -> Figure:
    """Draw a square of cosines from its `png`, with a frame around `window`; `low` is darkest."""
    # An invisible point, which has the colour bar that a picture lacks.
    colors = {"color": [low], "cmin": low, "cmax": 1.0, "colorscale": SIMILARITY, "colorbar": BAR}
    bar = marks([0], [0], colors | {"showscale": True, "size": 1, "opacity": 0})
    figure = draw(
        [_image(png), bar],
        height=SIDE,
        shapes=[outline(*window.sides)] if window else [],
        **_square_axes(Window(range(count), range(count))),
    )
    figure.stretches = True
    return figure


def similarity_window(values: Array, window: Window, *, low: float) -> Figure:
    """Draw a part of the same square cell by cell, with its values under the pointer."""
    cells = heatmap(
        values,
        "position %{y}<br>position %{x}<br>cosine %{z:.3f}",
        SIMILARITY,
        (low, 1.0),
        x0=window.columns[0],
        y0=window.rows[0],
        colorbar=BAR,
    )
    return draw([cells], height=SIDE, **_square_axes(window))


def _image(source: str) -> Trace:
    return {"type": "image", "source": source, "hoverinfo": "skip"}


def _square_axes(window: Window) -> dict[str, Any]:
    fixed: Axis = {"showgrid": False, "constrain": "domain"}
    (left, right), (top, bottom) = window.sides
    # With room to spare, the picture stays beside its colour bar.
    across = fixed | {"range": [left - 0.5, right + 0.5], "constraintoward": "right"}
    down = fixed | {"range": [bottom + 0.5, top - 0.5], "constraintoward": "top"}
    return {
        "xaxis": titled("position", **across),
        "yaxis": titled("position", scaleanchor="x", **down),
    }
