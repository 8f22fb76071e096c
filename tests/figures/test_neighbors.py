import numpy as np
import pytest

from bertviz_core.figures.neighbors import neighbor_bars, score_distribution


def test_bars() -> None:
    figure = neighbor_bars(["cat", "<i>"], np.float32([0.9, 0.25]), score_name="cosine")
    (bar,) = figure.data
    assert bar.text == ("0.900", "0.250")
    assert figure.layout.yaxis.ticktext == ("cat", "&lt;i&gt;")
    assert figure.layout.yaxis.range == (1.5, -0.5)  # best on top
    with pytest.raises(ValueError, match=r"\(2,\), tokens \(1,\)"):
        neighbor_bars(["cat"], np.float32([0.9, 0.25]), score_name="cosine")


def test_distribution_counts_every_score() -> None:
    scores = np.random.default_rng(0).normal(size=5000).astype(np.float32)
    figure = score_distribution(scores, scores[:3], score_name="cosine")
    histogram, marks = figure.data
    assert histogram.y.sum() == 5000
    assert marks.x.tolist() == scores[:3].tolist()
    with pytest.raises(ValueError, match="no scores"):
        score_distribution(np.float32([]), np.float32([]), score_name="cosine")
