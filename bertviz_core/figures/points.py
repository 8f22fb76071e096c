"""Many points as one small PNG.

A browser takes seconds for 30,000 points as SVG. Plotly's `scattergl` draws none where there is no
WebGL, and takes five times as long as the picture where a processor does the work of a graphics
card (Plotly 7.1, Chromium with SwiftShader). So the points are a picture with true axes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from bertviz_core.arrays import Array, Exact
from bertviz_core.figures.colors import MARK, MUTED, OUTPUT, SEGMENT, TOKEN
from bertviz_core.figures.drawing import Trace, titled
from bertviz_core.figures.matrices import data_uri

Span = tuple[float, float]
SHARPNESS = 2  # pixels of the picture for one pixel of the screen
INK = 204  # of 255: the opacity of all points of a kind; those on one another do not add up
_FINER = 2  # the picture is drawn so many times larger: pixels at the edge of a mark are means

# Each mark's number of corners, the degrees from the top to the first, and the distance from the
# centre of the inner corners between them, None for no inner corners.
_MARKS: dict[str, tuple[int, float, float | None]] = {
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
    symbol: str = "circle"  # or one of _MARKS
    size: float = 2.4  # pixels of the screen


# The looks of the kinds of tokens. Rare kinds are large and on top; no two share colour and symbol.
# Each colour has a contrast of 3 and more with a white and with a dark background.
OF_KINDS = (
    Look(MUTED),
    Look(TOKEN),
    Look(SEGMENT, "triangle-up", 4),
    Look(OUTPUT, "diamond", 4),
    Look("#8C6D31", "x", 4),
    Look("#B87F00", "square", 4),
    Look("#8E6BD0", "circle", 4),
    Look(MARK, "star", 10),
)


def points_png(
    points: Array,
    kinds: NDArray[np.integer],
    looks: Sequence[Look],
    *,
    across: Span,
    up: Span,
    side: int,
) -> str:
    """A square picture of points (n, 2) of several `kinds`, the last look on top: a data URI."""
    corner = np.array([across[0], up[1]])  # the upper left
    ends = np.array([across[1], up[0]])
    pixels = SHARPNESS * side  # of the picture
    places = (points - corner) / (ends - corner) * pixels * _FINER
    whole = Image.new("RGBA", (pixels, pixels))
    for kind, look in enumerate(looks):
        fine = Image.new("L", (pixels * _FINER, pixels * _FINER))
        pen = ImageDraw.Draw(fine)
        outline = _outline(look)
        for mark in (places[kinds == kind][:, None] + outline).reshape(-1, outline.size).tolist():
            if look.symbol == "circle":
                pen.ellipse(mark, fill=INK)
            else:
                pen.polygon(mark, fill=INK)
        layer = Image.new("RGBA", whole.size, look.color)
        layer.putalpha(fine.reduce(_FINER))
        whole.alpha_composite(layer)
    # With 256 colours: a third of the size, and nobody sees the difference.
    return data_uri(whole.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))


def _outline(look: Look) -> Exact:
    """The corners of a mark around its centre, in pixels that are drawn: (corners, 2).

    Those of a circle are the upper left and the lower right one of its square.
    """
    radius = SHARPNESS * _FINER * look.size / 2
    if look.symbol == "circle":
        return radius * np.array([[-1.0, -1], [1, 1]])
    corners, turn, inner = _MARKS[look.symbol]
    radii = np.array([1.0] * corners if inner is None else [1.0, inner] * corners)
    angles = np.deg2rad(turn) + 2 * np.pi * np.arange(len(radii)) / len(radii)
    # A square or a triangle of the same radius would look smaller than the circle.
    larger = 1.15 if len(radii) < 8 else 1.0
    return larger * radius * np.stack([radii * np.sin(angles), -radii * np.cos(angles)], axis=1)


def ends_around(points: Array, *, square: bool = False) -> tuple[Span, Span]:
    """The ends of both axes around points (n, 2), with a little more at each end."""
    low, high = points.min(axis=0).astype(np.float64), points.max(axis=0).astype(np.float64)
    half, room = (high - low) / 2, max((high - low).max() / 20, 1e-6)
    reach = (half.max() if square else half) + room
    (left, below), (right, above) = ((low + high) / 2 + sign * reach for sign in (-1, 1))
    return (float(left), float(right)), (float(below), float(above))


def map_axes(ends: tuple[Span, Span], titles: tuple[str, str] = ("", "")) -> dict[str, Any]:
    """The axes of a map of vectors, for a layout: one unit, whose numbers mean nothing."""
    ruled: Trace = {"showgrid": False, "showline": True, "linecolor": MUTED, "mirror": True}
    ruled |= {"showticklabels": False, "automargin": False, "constrain": "range"}
    across, up = (
        titled(title, range=list(span), **ruled) for title, span in zip(titles, ends, strict=True)
    )
    return {"xaxis": across, "yaxis": up | {"scaleanchor": "x"}}
