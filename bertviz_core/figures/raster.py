"""A matrix as a small PNG, for pictures of more cells than a browser draws quickly."""

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.figures.colors import NEGATIVE, POSITIVE, SIMILARITY

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
    """A picture as a PNG in the text of a page."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", compress_level=1, **options)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
