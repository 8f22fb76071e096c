"""A matrix as a small PNG, for pictures of more cells than a browser draws quickly."""

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor

from bertviz_core.figures.colors import DIVERGING


def signed_png(values: NDArray[np.float32], limit: float) -> str:
    """Colour a matrix on the signed scale, one pixel a cell.

    Args:
        values: (rows, columns).
        limit: The value, above 0, at which the colours saturate on both sides.

    Returns:
        A data URI of a PNG with 255 colours; the middle one is zero.
    """
    levels = np.clip(np.rint(values / limit * 127), -127, 127).astype(np.int16) + 127
    image = Image.fromarray(levels.astype(np.uint8), mode="P")
    image.putpalette(_palette().tobytes())
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", compress_level=1)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _palette() -> NDArray[np.uint8]:
    stops = np.array([ImageColor.getrgb(color)[:3] for color in DIVERGING], dtype=np.float64)
    at = np.linspace(0, len(stops) - 1, 255)
    channels = [np.interp(at, np.arange(len(stops)), stops[:, c]) for c in range(3)]
    return np.rint(np.stack(channels, axis=1)).astype(np.uint8)
