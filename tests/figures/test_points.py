"""The picture of many points, read back pixel by pixel."""

import base64
import io

import numpy as np
import pytest
from PIL import Image, ImageColor

from bertviz_core.figures.points import ABOVE, SHARPNESS, Look, points_png, uncrowded

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


@pytest.mark.parametrize("symbol", ["circle", "square", "diamond", "triangle-up", "x", "star"])
def test_a_point_has_its_color_at_its_place(symbol: str) -> None:
    image = drawn((2, 0.5, 0), looks=(Look(BLUE, symbol, 6),))
    assert image.shape == (SHARPNESS * SIZE[1], SHARPNESS * SIZE[0], 4)
    # A picture has few colours, so a solid pixel may let through a hundredth.
    assert np.abs(at(image, 2, 0.5) - [*ImageColor.getrgb(BLUE), 255]).max() < 4
    rows, columns = np.nonzero(image[..., 3])
    # Twice 6 pixels across, around the point, and nothing elsewhere.
    assert 8 <= np.ptp(columns) + 1 <= 16
    assert 8 <= np.ptp(rows) + 1 <= 16
    assert columns.mean() == pytest.approx(0.2 * 200, abs=1)
    assert rows.mean() == pytest.approx(0.25 * 100, abs=2)
    assert not image[image[..., 3] == 0].any()


def test_opacity_adds_up() -> None:
    looks = (Look(BLUE, size=6, opacity=0.5), Look(RED, size=6, opacity=0.5))
    image = drawn((2, 0, 0), (5, 0, 0), (5, 0, 0), (8, 0, 0), (8, 0, 1), looks=looks)
    assert at(image, 2, 0)[3] == pytest.approx(128, abs=3)
    assert at(image, 5, 0)[3] == pytest.approx(191, abs=3)
    assert at(image, 8, 0)[3] == pytest.approx(191, abs=3)
    # Red shows two thirds, the blue through it one third.
    mixed = (2 * np.array(ImageColor.getrgb(RED)) + np.array(ImageColor.getrgb(BLUE))) / 3
    assert np.abs(at(image, 8, 0)[:3] - mixed).max() < 6


def test_the_edges_belong_to_it_and_what_lies_beyond_is_left_out() -> None:
    looks = (Look(BLUE, size=6),)
    image = drawn((0, -1, 0), (10, 1, 0), looks=looks)
    assert min(image[-1, 0, 3], image[0, -1, 3]) > 250
    assert image[0, 0, 3] == image[-1, -1, 3] == 0
    beyond = [(-0.1, 0, 0), (10.1, 0, 0), (5, 1.1, 0), (np.nan, 0, 0), (5, np.inf, 0), (5, 0, -1)]
    assert not drawn(*beyond, looks=looks).any()
    assert not drawn(looks=looks).any()


def test_a_text_is_above_its_point_or_below_where_it_meets_nothing() -> None:
    alone = np.float64([[100, 100], [200, 100]])
    assert uncrowded(alone, [40, 40], 16, 300) == {0: 1, 1: 1}
    assert uncrowded(alone, [40, 40], 16, 210) == {0: 1}, "the second would be cut"
    # Side by side: the second goes below; one between them has no room, as the first comes first.
    beside = np.float64([[100, 100], [130, 100], [115, 100]])
    assert uncrowded(beside, [40, 40, 40], 16, 300) == {0: 1, 1: -1}
    above = np.float64([[100, 100], [100, 108 + ABOVE]])
    assert uncrowded(above, [40, 40], 16, 300) == {0: -1, 1: 1}
    # The very first is what the picture is about.
    around = np.float64([[100, 100], [100, 110], [100, 90]])
    assert uncrowded(around, [40, 40, 40], 16, 300)[0] == 1
    assert uncrowded(alone[:0], [], 16, 300) == {}
