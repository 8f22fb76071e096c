import numpy as np

from bertviz_core.figures.matrices import similarity_png, window_around
from tests.figures.test_points import pixels


def test_similarity_png_is_viridis_from_low_to_high() -> None:
    drawn = pixels(similarity_png(np.float32([[-5, 0, 0.25, 0.5, 1, 9]]), 0.0))[0, :, :3]
    darkest, brightest = [0x44, 0x01, 0x54], [0xFD, 0xE7, 0x25]
    assert drawn[:2].tolist() == [darkest] * 2
    assert drawn[-2:].tolist() == [brightest] * 2
    assert (np.diff(drawn[1:5, 1]) > 0).all()


def test_a_window_stays_inside() -> None:
    assert window_around(100, 110, 512, 64) == (range(68, 132), range(78, 142))
    assert window_around(0, 511, 512, 64) == (range(64), range(448, 512))
    assert window_around(3, 9, 16, 64) == (range(16), range(16))
