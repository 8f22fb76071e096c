"""Large matrices as pictures with true axes and a colour bar, and a window of exact cells."""

from dataclasses import dataclass
from typing import Any

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import Axis, titled
from bertviz_core.figures.colors import DIVERGING_SCALE, SIMILARITY
from bertviz_core.figures.drawing import Figure, Trace, draw, frame, heatmap, marks
from bertviz_core.figures.raster import similarity_png

SIDE = 460  # pixels of a square's height
# As long as the smallest picture, that on a phone, from its upper edge down.
BAR = {"nticks": 6, "lenmode": "pixels", "len": 240, "y": 1, "yanchor": "top"}


@dataclass(frozen=True)
class Window:
    """A part of a matrix: rows and columns, both ends included."""

    first_row: int
    last_row: int
    first_column: int
    last_column: int

    @property
    def sides(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The first and the last column, and row."""
        return (self.first_column, self.last_column), (self.first_row, self.last_row)

    @property
    def cells(self) -> tuple[slice, slice]:
        """For indexing the whole matrix."""
        columns, rows = (slice(first, last + 1) for first, last in self.sides)
        return rows, columns


def window_around(row: int, column: int, shape: tuple[int, int], size: int) -> Window:
    """A window of at most `size` x `size` cells around a cell of a matrix, moved inside it."""
    spans = []
    for center, count in zip((row, column), shape, strict=True):
        taken = min(size, count)
        first = min(max(center - taken // 2, 0), count - taken)
        spans += [first, first + taken - 1]
    return Window(*spans)


def similarity_picture(
    values: Array, *, low: float, window: Window | None = None, png: str | None = None
) -> Figure:
    """Draw a large square of cosines on Viridis, one pixel a cell, with `window` framed.

    `low` is the value of the darkest colour; the brightest is 1. `png` is the same from
    `raster.similarity_png`, where it is kept; it takes longest to make.
    """
    whole = Window(0, len(values) - 1, 0, len(values) - 1)
    figure = draw(
        [_image(png or similarity_png(values, low)), _color_bar(low, 1.0, SIMILARITY)],
        height=SIDE,
        shapes=[frame(*window.sides)] if window else [],
        **_square_axes(whole),
    )
    figure.stretches = True
    return figure


def similarity_window(values: Array, window: Window, *, low: float) -> Figure:
    """Draw a part of the same square cell by cell, with its values under the pointer."""
    cells = heatmap(
        values[window.cells],
        "position %{y}<br>position %{x}<br>cosine %{z:.3f}",
        SIMILARITY,
        (low, 1.0),
        x0=window.first_column,
        y0=window.first_row,
        colorbar=BAR,
    )
    return draw([cells], height=SIDE, **_square_axes(window))


def table_picture(values: Array, limit: float, png: str) -> Figure:
    """Draw a whole table, one pixel a number, from its `png` (`raster.signed_png`).

    Colours saturate at ± `limit`.
    """
    free: Axis = {"showgrid": False, "constrain": "range"}
    return draw(
        [_image(png), _color_bar(-limit, limit, DIVERGING_SCALE)],
        height=380,
        xaxis=titled("dimension", range=[-0.5, values.shape[1] - 0.5], **free),
        yaxis=titled("position", range=[len(values) - 0.5, -0.5], scaleanchor=False, **free),
    )


def _image(source: str) -> Trace:
    return {"type": "image", "source": source, "hoverinfo": "skip"}


def _color_bar(low: float, high: float, scale: Any) -> Trace:
    """An unseen point that brings the colour bar a picture lacks."""
    colors = {"color": [low], "cmin": low, "cmax": high, "colorscale": scale, "colorbar": BAR}
    return marks([0], [0], colors | {"showscale": True, "size": 1, "opacity": 0})


def _square_axes(window: Window) -> dict[str, Any]:
    fixed: Axis = {"showgrid": False, "constrain": "domain"}
    across = [window.first_column - 0.5, window.last_column + 0.5]
    down = [window.last_row + 0.5, window.first_row - 0.5]
    return {
        # Where there is room to spare, the picture stays beside its colour bar.
        "xaxis": titled("position", range=across, constraintoward="right", **fixed),
        "yaxis": titled("position", range=down, scaleanchor="x", constraintoward="top", **fixed),
    }
