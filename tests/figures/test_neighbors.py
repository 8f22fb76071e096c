import numpy as np
import pytest

from bertviz_core.figures.colors import MUTED, TOKEN, contrast
from bertviz_core.figures.neighbors import neighbor_bars


def test_bars_of_several_charts_on_one_scale() -> None:
    figure = neighbor_bars(["cat"], np.float32([0.5]), score_name="cosine", span=(0.25, 1.0))
    assert figure.layout.xaxis.range == (0, 1.05)
    figure = neighbor_bars(["cat"], np.float32([-1]), score_name="dot", span=(-1.0, 1.0))
    assert figure.layout.xaxis.range == pytest.approx((-1.1, 1.1))
    with pytest.raises(ValueError, match=r"\(2,\), tokens \(1,\)"):
        neighbor_bars(["cat"], np.float32([0.9, 0.25]), score_name="cosine")


def test_bars_of_what_was_left_out_are_grey_and_give_their_rank() -> None:
    scores, left_out = np.float32([0.666, 0.511]), np.array([True, False])
    (bar,) = neighbor_bars(["king", "queen"], scores, score_name="cosine", left_out=left_out).data
    assert bar.marker.color == (MUTED, TOKEN)
    assert bar.text == ("0.666, rank 1, left out", "0.511")
    letters = bar.insidetextfont.color
    assert contrast(letters[0], MUTED) > 4.5
    assert contrast(letters[1], TOKEN) > 4.5
