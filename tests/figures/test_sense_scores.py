import numpy as np
import pytest

from bertviz_core.figures.sense_scores import layer_scores

SCORES = np.float32([-0.2, 0.5, 0.9, 0.9])


def test_scores_mark_the_best_layers() -> None:
    figure = layer_scores(SCORES, score_name="agreement", best=[2, 3], layer=1, lowest=-0.1)
    (line,) = figure.data
    assert list(line.marker.symbol) == ["circle", "circle", "star", "star"]
    assert figure.layout.shapes[0].x0 == 1
    low, high = figure.layout.yaxis.range
    assert low < -0.2
    assert high > 1
    empty = layer_scores(np.float32([np.nan] * 3), score_name="s", best=[], layer=0, lowest=0.4)
    assert list(empty.data[0].marker.symbol) == ["circle"] * 3
    assert empty.layout.yaxis.range[0] == 0.4
    with pytest.raises(ValueError, match=r"shape \(4,\), layers are \[4, 1\]"):
        layer_scores(SCORES, score_name="x", best=[4], layer=1)
