"""The picture of many points, read back pixel by pixel, and what lies on it."""

import base64
import io

import numpy as np
import pytest
from PIL import Image, ImageColor

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KIND_NAMES
from bertviz_core.figures.colors import DARK, LIGHT, contrast
from bertviz_core.figures.points import INK, OF_KINDS, SHARPNESS, Look, points_png
from bertviz_core.views.inside_the_model.norms import token_norms

BLUE, RED = "#0072B2", "#D55E00"
SIDE = 100
SPANS = {"across": (0.0, 10.0), "up": (-1.0, 1.0)}


def pixels(png: str) -> np.ndarray:
    """RGBA of a data URI, int (height, width, 4)."""
    kind, _, text = png.partition(",")
    assert kind == "data:image/png;base64"
    return np.array(Image.open(io.BytesIO(base64.b64decode(text))).convert("RGBA")).astype(int)


def drawn(*points: tuple[float, float, int], looks: tuple[Look, ...]) -> np.ndarray:
    rows = np.array(points, dtype=np.float64).reshape(-1, 3)
    return pixels(points_png(rows[:, :2], rows[:, 2].astype(int), looks, side=SIDE, **SPANS))


def at(image: np.ndarray, x: float, y: float) -> np.ndarray:
    """The pixel where a point of these coordinates lies."""
    (left, right), (low, high) = SPANS["across"], SPANS["up"]
    row = (high - y) / (high - low) * image.shape[0]
    return image[int(row), int((x - left) / (right - left) * image.shape[1])]


@pytest.mark.parametrize("symbol", ["circle", "triangle-up", "x"])
def test_a_point_has_its_color_at_its_place(symbol: str) -> None:
    image = drawn((2, 0.5, 0), looks=(Look(BLUE, symbol, 6),))
    assert image.shape == (SHARPNESS * SIDE, SHARPNESS * SIDE, 4)
    # A picture has few colours.
    assert np.abs(at(image, 2, 0.5) - [*ImageColor.getrgb(BLUE), INK]).max() < 4
    rows, columns = np.nonzero(image[..., 3])
    # Twice 6 pixels across, around the point, and nothing elsewhere.
    assert 8 <= np.ptp(columns) + 1 <= 16
    assert 8 <= np.ptp(rows) + 1 <= 16
    assert columns.mean() == pytest.approx(0.2 * 200, abs=1)
    assert rows.mean() == pytest.approx(0.25 * 200, abs=2)
    assert not image[image[..., 3] == 0].any()


def test_norms_are_boxes_between_the_quantiles_of_a_kind(minilm: Bert) -> None:
    view = token_norms(minilm)
    frame = view.to_frame("token-norms")
    digits = minilm.vocabulary.kinds == KIND_NAMES.index("digit")
    lengths = minilm.tables.word_norms[digits].astype(np.float64)
    (row,) = np.flatnonzero(frame["kind"] == "digit")
    box = view.pictures["token-norms"].figure.data[row]
    ends = [box.lowerfence[0], box.q1[0], box.median[0], box.q3[0], box.upperfence[0]]
    assert ends == pytest.approx(np.quantile(lengths, [0.01, 0.25, 0.5, 0.75, 0.99]))
    assert frame["rows"].sum() == minilm.vocab_size


@pytest.mark.parametrize("ground", [LIGHT["ground"], DARK["ground"]])
def test_kinds_stand_out_from_the_ground(ground: str) -> None:
    assert min(contrast(look.color, ground) for look in OF_KINDS) >= 3
    assert len({(look.color, look.symbol) for look in OF_KINDS}) == len(OF_KINDS)
