"""Many points as one small PNG.

A browser takes seconds for 30,000 points as SVG, and many machines lack WebGL, which is faster. So
the points are a picture with true axes, and only those that answer the pointer are marks on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw

from bertviz_core.arrays import Array, Ids
from bertviz_core.figures.axes import titled
from bertviz_core.figures.colors import MARK, MUTED, OUTPUT, SEGMENT, TOKEN
from bertviz_core.figures.drawing import Numbers, Trace
from bertviz_core.figures.matrices import data_uri

Span = tuple[float, float]
SHARPNESS = 2  # pixels of the picture for one pixel of the screen
_NONE = Image.Dither.NONE
_FINER = 8  # each pixel of a mark is the mean of 8 x 8

# Each mark's number of corners, the degrees from the top to the first, and the distance from the
# centre of the inner corners between them, None for no inner corners.
_MARKS: dict[str, tuple[int, float, float | None]] = {
    "circle": (32, 0, None),
    "square": (4, 45, None),
    "diamond": (4, 0, None),
    "triangle-up": (3, 0, None),
    "x": (4, 45, 0.35),
    "star": (5, 0, 0.4),
}


@dataclass(frozen=True)
class Look:
    """How the points of one kind are drawn."""

    color: str  # "#RRGGBB"
    symbol: str = "circle"  # one of _MARKS
    size: float = 3  # pixels of the screen
    opacity: float = 1  # of a single point; points on one another add up

    @property
    def marker(self) -> Trace:
        """The same for a trace of Plotly's, but solid, since a single mark must be seen."""
        return {"color": self.color, "symbol": self.symbol, "size": self.size}


# The looks of the kinds of tokens. Rare kinds are large and on top; no two share colour and symbol.
# Each colour has a contrast of 3 and more with a white and with a dark background.
OF_KINDS = (
    Look(MUTED),
    Look(TOKEN),
    Look(SEGMENT, "triangle-up", 5),
    Look(OUTPUT, "diamond", 5),
    Look("#8C6D31", "x", 5),
    Look("#B87F00", "square", 5),
    Look("#8E6BD0", "circle", 5),
    Look(MARK, "star", 13),
)


def points_png(
    x: Numbers,
    y: Numbers,
    kinds: NDArray[np.integer],
    looks: Sequence[Look],
    *,
    across: Span,
    up: Span,
    size: tuple[int, int],
) -> str:
    """A picture of points of several `kinds`, the last look on top: a data URI for `image`."""
    width, height = (SHARPNESS * side for side in size)
    columns, in_width = _pixels(x, across, width)
    rows, in_height = _pixels(y, (up[1], up[0]), height)
    marks = [_mark(look.symbol, round(SHARPNESS * look.size)) for look in looks]
    edge = max((len(mark) // 2 for mark in marks), default=0)  # for marks that reach beyond it
    wide = width + 2 * edge
    pixels = np.zeros(((height + 2 * edge) * wide, 4), dtype=np.uint8)
    for kind, (look, mark) in enumerate(zip(looks, marks, strict=True)):
        chosen = np.flatnonzero(in_width & in_height & (kinds == kind))
        first = edge - len(mark) // 2  # of the mark of a point in the corner
        corners = (rows[chosen] + first) * wide + columns[chosen] + first
        if len(chosen):
            _paint(pixels, corners, wide, mark, look)
    whole = pixels.reshape(-1, wide, 4)[edge : edge + height, edge : edge + width]
    # With 256 colours: a third of the size, and nobody sees the difference.
    return data_uri(Image.fromarray(whole).quantize(256, Image.Quantize.FASTOCTREE, dither=_NONE))


def image(png: str, *, across: Span, up: Span) -> Trace:
    """An image for a layout: the picture of `points_png` at its place on the axes."""
    # Not an image *trace*: on a rising axis it is turned by CSS, which programs that open a saved
    # SVG often ignore (seen with plotly.js 4.1).
    return {
        "source": png,
        "xref": "x",
        "yref": "y",
        "x": across[0],
        "y": up[1],
        "sizex": across[1] - across[0],
        "sizey": up[1] - up[0],
        "sizing": "stretch",
        "layer": "below",
    }


def ruled(title: str, span: Span, **more: Any) -> Trace:
    """An axis for a picture: a line instead of a grid."""
    return titled(title, range=list(span), showgrid=False, showline=True, linecolor=MUTED) | more


def ends_around(points: Array, *, square: bool = False) -> tuple[Span, Span]:
    """The ends of both axes around points (n, 2), with a little more at each end."""
    low, high = points.min(axis=0).astype(np.float64), points.max(axis=0).astype(np.float64)
    half, room = (high - low) / 2, max((high - low).max() / 20, 1e-6)
    reach = (half.max() if square else half) + room
    (left, below), (right, above) = ((low + high) / 2 + sign * reach for sign in (-1, 1))
    return (float(left), float(right)), (float(below), float(above))


def map_axes(ends: tuple[Span, Span], titles: tuple[str, str] = ("", "")) -> dict[str, Any]:
    """The axes of a map of vectors, for a layout: one unit, whose numbers mean nothing."""
    plain: Trace = {"showticklabels": False, "automargin": False, "mirror": True}
    across, up = (
        ruled(title, span, constrain="range", **plain)
        for title, span in zip(titles, ends, strict=True)
    )
    return {"xaxis": across, "yaxis": up | {"scaleanchor": "x"}}


def cells_of(x: Numbers, y: Numbers, *, across: Span, up: Span, cells: tuple[int, int]) -> Ids:
    """The cell of each point, counted by rows from 0 at the lower left; -1 outside the grid."""
    columns, in_width = _pixels(x, across, cells[0])
    rows, in_height = _pixels(y, up, cells[1])
    return np.where(in_width & in_height, rows * cells[0] + columns, -1)


def _pixels(values: Numbers, span: Span, count: int) -> tuple[Ids, NDArray[np.bool]]:
    """The one of `count` equal parts of a span in which each value is, and whether it is in one."""
    first, last = span
    at = np.floor((values.astype(np.float64) - first) / (last - first) * count)
    at = np.where(values == last, count - 1, at)  # the edge belongs to the picture
    inside = (at >= 0) & (at < count)
    return np.where(inside, at, 0).astype(np.int64), inside


def _paint(pixels: NDArray[np.uint8], corners: Ids, wide: int, mark: Array, look: Look) -> None:
    """Paint marks on an RGBA picture, (pixels, 4) by rows, each from its upper left pixel."""
    down, right = np.nonzero(mark)
    at = (corners[:, None] + (down * wide + right)).ravel()
    # The transparencies of marks on one another multiply, so their logarithms are added.
    shines = np.log(np.maximum(1 - look.opacity * mark[down, right], 1e-4))
    first = at.min()
    through = np.bincount(at - first, np.tile(shines, len(corners)))
    painted = np.flatnonzero(through)
    alpha = -np.expm1(through[painted].astype(np.float32))[:, None]
    painted += first
    below = pixels[painted].astype(np.float32)
    behind = below[:, 3:] / 255 * (1 - alpha)
    color = np.array(ImageColor.getrgb(look.color)[:3], dtype=np.float32)
    below[:, 3:] = alpha + behind
    below[:, :3] = (color * alpha + below[:, :3] * behind) / below[:, 3:]
    below[:, 3] *= 255
    pixels[painted] = (below + 0.5).astype(np.uint8)


@cache
def _mark(symbol: str, size: int) -> Array:
    """The share of each pixel, 0 to 1, that a mark of `size` pixels covers: an odd square."""
    corners, turn, between = _MARKS[symbol]
    side = size + 1 + size % 2  # odd, with room at the edges
    radii = [1.0] * corners if between is None else [1.0, between] * corners
    angles = np.deg2rad(turn) + 2 * np.pi * np.arange(len(radii)) / len(radii)
    # A square or a triangle of the same radius would look smaller than the circle.
    radius = _FINER * size / 2 * (1.15 if len(radii) < 8 else 1.0)
    center = (_FINER * side - 1) / 2
    outline = [
        (center + radius * r * np.sin(a), center - radius * r * np.cos(a))
        for r, a in zip(radii, angles, strict=True)
    ]
    fine = Image.new("L", (_FINER * side, _FINER * side))
    ImageDraw.Draw(fine).polygon(outline, fill=255)
    parts = np.asarray(fine, dtype=np.float64).reshape(side, _FINER, side, _FINER)
    return (parts.mean(axis=(1, 3)) / 255).astype(np.float32)
