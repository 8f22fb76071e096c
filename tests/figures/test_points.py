"""The picture of many points, read back pixel by pixel."""

import base64
import io

import numpy as np
import pytest
from PIL import Image, ImageColor

from bertviz_core.figures.points import SHARPNESS, Look, points_png

BLUE, RED = "#0072B2", "#D55E00"
SIZE = (100, 50)
SPANS = {"across": (0.0, 10.0), "up": (-1.0, 1.0)}


def pixels(png: str) -> np.ndarray:
    """RGBA of a data URI, int (height, width, 4)."""
    kind, _, text = png.partition(",")
    assert kind == "data:image/png;base64"
    return np.array(Image.open(io.BytesIO(base64.b64decode(text))).convert("RGBA")).astype(int)


def drawn(*points: tuple[float, float, int], looks: tuple[Look, ...]) -> np.ndarray:
    x, y, kinds = np.array(points, dtype=np.float64).reshape(-1, 3).T
    return pixels(points_png(x, y, kinds.astype(int), looks, size=SIZE, **SPANS))


def at(image: np.ndarray, x: float, y: float) -> np.ndarray:
    """The pixel where a point of these coordinates lies."""
    (left, right), (low, high) = SPANS["across"], SPANS["up"]
    row = (high - y) / (high - low) * image.shape[0]
    return image[int(row), int((x - left) / (right - left) * image.shape[1])]


@pytest.mark.parametrize("symbol", ["circle", "triangle-up", "x"])
def test_a_point_has_its_color_at_its_place(symbol: str) -> None:
    image = drawn((2, 0.5, 0), looks=(Look(BLUE, symbol, 6),))
    assert image.shape == (SHARPNESS * SIZE[1], SHARPNESS * SIZE[0], 4)
    # A picture has few colours.
    assert np.abs(at(image, 2, 0.5) - [*ImageColor.getrgb(BLUE), 255]).max() < 4
    rows, columns = np.nonzero(image[..., 3])
    # Twice 6 pixels across, around the point, and nothing elsewhere.
    assert 8 <= np.ptp(columns) + 1 <= 16
    assert 8 <= np.ptp(rows) + 1 <= 16
    assert columns.mean() == pytest.approx(0.2 * 200, abs=1)
    assert rows.mean() == pytest.approx(0.25 * 100, abs=2)
    assert not image[image[..., 3] == 0].any()
