import numpy as np
import plotly.graph_objects as go

from bertviz_core.figures.matrices import Window, similarity_picture, window_around
from bertviz_core.figures.raster import similarity_png
from tests.figures.test_points import pixels

RAMP = np.linspace(-1, 1, 10_000, dtype=np.float32).reshape(100, 100)


def test_similarity_png_is_viridis_from_low_to_high() -> None:
    drawn = pixels(similarity_png(np.float32([[-5, 0, 0.25, 0.5, 1, 9]]), 0.0))[0, :, :3]
    darkest, brightest = [0x44, 0x01, 0x54], [0xFD, 0xE7, 0x25]
    assert drawn[:2].tolist() == [darkest] * 2
    assert drawn[-2:].tolist() == [brightest] * 2
    assert (np.diff(drawn[1:5, 1]) > 0).all()


def test_a_window_stays_inside() -> None:
    assert window_around(100, 110, (512, 512), 64) == Window(68, 131, 78, 141)
    assert window_around(0, 511, (512, 512), 64) == Window(0, 63, 448, 511)
    assert window_around(3, 9, (16, 16), 64) == Window(0, 15, 0, 15)


def test_the_picture_has_true_axes_and_a_legend() -> None:
    window = Window(10, 20, 30, 40)
    figure = similarity_picture(RAMP, low=-1.0, window=window)
    picture, scale = figure.data
    assert isinstance(picture, go.Image)
    assert pixels(picture.source).shape[:2] == (100, 100)
    assert (scale.marker.cmin, scale.marker.cmax) == (-1.0, 1.0)
    assert list(figure.layout.xaxis.range) == [-0.5, 99.5]
    assert list(figure.layout.yaxis.range) == [99.5, -0.5]
    (frame,) = figure.layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (29.5, 40.5, 9.5, 20.5)
