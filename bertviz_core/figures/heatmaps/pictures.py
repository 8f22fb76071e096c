"""Large matrices as pictures with true axes and a colour legend, and a window of exact cells."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import COLOR_BAR, compact
from bertviz_core.figures.colors import SIMILARITY, diverging_scale
from bertviz_core.figures.heatmaps.raster import signed_png, similarity_png

Array = NDArray[np.float32]
SIDE = 460  # pixels of a square's height
FRAME = "#D55E00"


@dataclass(frozen=True)
class Window:
    """A part of a matrix: rows and columns, both ends included."""

    first_row: int
    last_row: int
    first_column: int
    last_column: int

    @property
    def cells(self) -> tuple[slice, slice]:
        """For indexing the whole matrix."""
        return (
            slice(self.first_row, self.last_row + 1),
            slice(self.first_column, self.last_column + 1),
        )


def window_around(row: int, column: int, shape: tuple[int, int], size: int) -> Window:
    """Choose a window of at most `size` x `size` cells around a cell, moved inside the matrix.

    Args:
        row: Of the cell.
        column: Of the cell.
        shape: Of the matrix.
        size: Rows and columns of the window; a smaller matrix is taken whole.
    """
    spans = []
    for place, count in zip((row, column), shape, strict=True):
        taken = min(size, count)
        first = min(max(place - taken // 2, 0), count - taken)
        spans += [first, first + taken - 1]
    return Window(*spans)


def similarity_picture(
    values: Array, *, low: float, of: str, window: Window | None = None
) -> go.Figure:
    """Draw a large square of cosines, one pixel a cell.

    Args:
        values: float32 (n, n).
        low: The value of the darkest colour; the brightest is 1.
        of: What rows and columns are: "position".
        window: A part to frame.

    Returns:
        A picture on Viridis with a colour bar; its axes count rows and columns from 0.

    Raises:
        ValueError: `values` is not square.
    """
    _check_square(values)
    figure = go.Figure(_image(similarity_png(values, low)))
    figure.add_trace(_scale_only(low, 1.0, SIMILARITY))
    if window is not None:
        figure.add_shape(
            type="rect",
            x0=window.first_column - 0.5,
            x1=window.last_column + 0.5,
            y0=window.first_row - 0.5,
            y1=window.last_row + 0.5,
            line={"color": FRAME, "width": 2},
        )
    _square_axes(figure, (-0.5, len(values) - 0.5), (-0.5, len(values) - 0.5), of)
    return compact(figure, SIDE)


def similarity_window(values: Array, window: Window, *, low: float, of: str) -> go.Figure:
    """Draw a part of the same square cell by cell, with its values under the pointer.

    Args:
        values: float32 (n, n), the whole matrix.
        window: The part to draw.
        low: The value of the darkest colour, as in the picture.
        of: What rows and columns are: "position".

    Returns:
        A heatmap whose axes keep the numbers of the whole matrix.

    Raises:
        ValueError: `values` is not square.
    """
    _check_square(values)
    figure = go.Figure(
        go.Heatmap(
            z=np.ascontiguousarray(values[window.cells], dtype=np.float32),
            x0=window.first_column,
            dx=1,
            y0=window.first_row,
            dy=1,
            zmin=low,
            zmax=1.0,
            colorscale=SIMILARITY,
            colorbar=_color_bar(),
            hovertemplate=f"{of} %{{y}}<br>{of} %{{x}}<br>cosine %{{z:.3f}}<extra></extra>",
        )
    )
    _square_axes(
        figure,
        (window.first_column - 0.5, window.last_column + 0.5),
        (window.first_row - 0.5, window.last_row + 0.5),
        of,
    )
    return compact(figure, SIDE)


def table_picture(values: Array, limit: float, *, rows: str) -> go.Figure:
    """Draw a whole table, one pixel a number, red above zero and blue below.

    Args:
        values: float32 (n, dimensions).
        limit: The value, above 0, at which the colours saturate.
        rows: What the rows are: "position".

    Returns:
        A picture on the signed scale with a colour bar.

    Raises:
        ValueError: `values` is no table.
    """
    if values.ndim != 2:
        raise ValueError(f"a table has two axes, values have shape {values.shape}")
    figure = go.Figure(_image(signed_png(values, limit)))
    figure.add_trace(_scale_only(-limit, limit, diverging_scale()))
    figure.update_xaxes(
        title_text="dimension",
        range=[-0.5, values.shape[1] - 0.5],
        showgrid=False,
        zeroline=False,
        constrain="range",
    )
    figure.update_yaxes(
        title_text=rows,
        range=[len(values) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
        scaleanchor=False,
        constrain="range",
    )
    return compact(figure, 380)


def _image(source: str) -> go.Image:
    return go.Image(source=source, hoverinfo="skip")


def _scale_only(low: float, high: float, scale: Any) -> go.Scatter:
    """An unseen point that brings the colour bar a picture lacks."""
    return go.Scatter(
        x=[0],
        y=[0],
        mode="markers",
        marker={
            "color": [low],
            "cmin": low,
            "cmax": high,
            "colorscale": scale,
            "colorbar": _color_bar(),
            "size": 1,
            "opacity": 0,
        },
        hoverinfo="skip",
        showlegend=False,
    )


def _color_bar() -> dict[str, object]:
    return COLOR_BAR | {"nticks": 6}


def _square_axes(
    figure: go.Figure, across: tuple[float, float], down: tuple[float, float], of: str
) -> None:
    quiet = {"showgrid": False, "zeroline": False, "constrain": "domain"}
    figure.update_xaxes(title_text=of, range=list(across), **quiet)
    figure.update_yaxes(title_text=of, range=[down[1], down[0]], scaleanchor="x", **quiet)


def _check_square(values: Array) -> None:
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"a matrix of similarities is square, values have shape {values.shape}")
