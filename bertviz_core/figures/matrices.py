"""Large matrices as pictures with true axes and a colour bar, and a window of exact cells."""

import base64
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.figures.axes import Axis, titled
from bertviz_core.figures.colors import (
    DIVERGING_SCALE,
    NEGATIVE,
    POSITIVE,
    SIMILARITY,
)
from bertviz_core.figures.drawing import Figure, Trace, draw, frame, heatmap, marks

if TYPE_CHECKING:
    from PIL import Image


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


MIN_LIMIT = 1e-3  # a smaller scale would only show rounding
SIDE = 460  # pixels of a square's height
# From the upper edge of a picture down, as long as the picture is on a phone.
BAR = {"nticks": 6, "lenmode": "pixels", "len": 240, "y": 1, "yanchor": "top"}


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


def similarity_picture(png: str, window: Window, *, count: int, low: float) -> Figure:
    """Draw a square of cosines from its `png`, with a frame around `window`; `low` is darkest."""
    figure = draw(
        [_image(png), _color_bar(low, 1.0, SIMILARITY)],
        height=SIDE,
        shapes=[frame(*window.sides)],
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


def table_picture(values: Array, limit: float, png: str) -> Figure:
    """Draw a table from its `png`, one pixel a number; colours saturate at ± `limit`."""
    free: Axis = {"showgrid": False, "constrain": "range"}
    return draw(
        [_image(png), _color_bar(-limit, limit, DIVERGING_SCALE)],
        height=380,
        xaxis=titled("dimension", range=[-0.5, values.shape[1] - 0.5], **free),
        yaxis=titled("position", range=[len(values) - 0.5, -0.5], scaleanchor=False, **free),
    )


def head_map(values: Array, name: str, shapes: Sequence[Trace]) -> Figure:
    """Draw one number for each head of each layer, from 0 up."""
    layers, heads = values.shape
    cells = heatmap(
        values,
        f"layer %{{y}}, head %{{x}}<br>{name} %{{z:.3f}}",
        SIMILARITY,
        (0, max(float(values.max()), MIN_LIMIT)),
        x=np.arange(1, heads + 1),
        y=np.arange(1, layers + 1),
        xgap=1,
        ygap=1,
    )
    return draw(
        [cells],
        height=24 * layers + 130,
        shapes=shapes,
        xaxis=titled("head", dtick=1, showgrid=False, range=[0.45, heads + 0.55]),
        yaxis=titled("layer", dtick=1, showgrid=False, range=[0.45, layers + 0.55]),
        margin={"pad": 0},  # else the background is larger than the cells
    )


def _image(source: str) -> Trace:
    return {"type": "image", "source": source, "hoverinfo": "skip"}


def _color_bar(low: float, high: float, scale: Any) -> Trace:
    """An invisible point, which has the colour bar that a picture lacks."""
    colors = {"color": [low], "cmin": low, "cmax": high, "colorscale": scale, "colorbar": BAR}
    return marks([0], [0], colors | {"showscale": True, "size": 1, "opacity": 0})


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
