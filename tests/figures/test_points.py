"""The picture of many points, read back pixel by pixel, and what lies on it."""

import base64
import io

import numpy as np
import pytest
from PIL import Image, ImageColor

from bertviz_core.figures.colors import DARK, LIGHT, contrast
from bertviz_core.figures.points import OF_KINDS, SHARPNESS, Look, points_png
from bertviz_core.views.inside_the_model.norms import norms_figure, norms_picture

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


def test_norms_of_many_rows_are_a_picture_with_some_marks() -> None:
    rows = np.arange(5_000)
    lengths, kinds = np.float32(1 + rows % 7 / 10), np.int8(rows % 2)
    lengths[123] = 3
    png = norms_picture(lengths, kinds)
    tokens = [f"<{row}>" for row in rows]
    figure = norms_figure(lengths, kinds, tokens, np.array([17, 123]), png)
    (image,), layout = figure.layout.images, figure.layout
    assert (image.x, image.x + image.sizex) == layout.xaxis.range
    assert (image.y - image.sizey, image.y) == layout.yaxis.range
    assert layout.yaxis.range[0] == 0
    assert figure.data[1].text[0].startswith("&lt;")
    assert {17, 123} <= set(np.concatenate([trace.x for trace in figure.data]).tolist())


@pytest.mark.parametrize("ground", [LIGHT["ground"], DARK["ground"]])
def test_kinds_stand_out_from_the_ground(ground: str) -> None:
    assert min(contrast(look.color, ground) for look in OF_KINDS) >= 3
    assert len({(look.color, look.symbol) for look in OF_KINDS}) == len(OF_KINDS)
