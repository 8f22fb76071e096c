import numpy as np
import pytest

from bertviz_core.figures.colors import MUTED, TOKEN, contrast
from bertviz_core.figures.neighbors import neighbor_bars, score_distribution, score_distributions


def test_bars() -> None:
    figure = neighbor_bars(["cat", "<i>"], np.float32([0.9, 0.25]), score_name="cosine")
    (bar,) = figure.data
    assert bar.text == ("0.900", "0.250")
    assert figure.layout.yaxis.ticktext == ("cat", "&lt;i&gt;")
    assert figure.layout.yaxis.range == (1.5, -0.5)  # best on top
    with pytest.raises(ValueError, match=r"\(2,\), tokens \(1,\)"):
        neighbor_bars(["cat"], np.float32([0.9, 0.25]), score_name="cosine")


def test_bars_of_several_charts_on_one_scale() -> None:
    figure = neighbor_bars(["cat"], np.float32([0.5]), score_name="cosine", span=(0.25, 1.0))
    assert figure.layout.xaxis.range == (0, 1.05)
    figure = neighbor_bars(["cat"], np.float32([-1]), score_name="dot", span=(-1.0, 1.0))
    assert figure.layout.xaxis.range == pytest.approx((-1.1, 1.1))


def test_bars_of_what_was_left_out_are_grey_and_give_their_rank() -> None:
    figure = neighbor_bars(
        ["king", "queen"],
        np.float32([0.666, 0.511]),
        score_name="cosine",
        left_out=np.array([True, False]),
        details=["rank 1", "rank 2, percentile <42>"],
    )
    (bar,) = figure.data
    assert bar.marker.color == (MUTED, TOKEN)
    assert bar.text == ("0.666, rank 1, left out", "0.511")
    assert bar.customdata == ("king<br>rank 1", "queen<br>rank 2, percentile &lt;42&gt;")
    letters = bar.insidetextfont.color
    assert contrast(letters[0], MUTED) > 4.5
    assert contrast(letters[1], TOKEN) > 4.5
    with pytest.raises(ValueError, match=r"\(1,\), tokens \(2,\)"):
        neighbor_bars(["a", "b"], np.float32([1, 2]), score_name="cosine", details=["x"])


def test_distribution_counts_every_score() -> None:
    scores = np.random.default_rng(0).normal(size=5000).astype(np.float32)
    figure = score_distribution(scores, scores[:3], score_name="cosine")
    histogram, marks = figure.data
    assert histogram.y.sum() == 5000
    assert marks.x.tolist() == scores[:3].tolist()
    with pytest.raises(ValueError, match="no scores"):
        score_distribution(np.float32([]), np.float32([]), score_name="cosine")


def test_distributions_of_several_on_one_scale() -> None:
    first, second = np.float32([0, 0, 1]), np.float32([-1, 1])
    pair = {"a<": (first, first[2:]), "b": (second, second[:1])}
    one, other, *marks = score_distributions(pair, score_name="cosine").data
    assert (one.x == other.x).all()
    assert (one.y.sum(), other.y.sum()) == (3, 2)
    assert (one.y[60], one.y[-1], other.y[0]) == (2, 1, 1)
    assert [(m.x.tolist(), m.y.tolist()) for m in marks] == [([1], [0]), ([-1], [1])]
    alike = {"a": (first, first[2:]), "b": (first, first[:1])}
    assert len(score_distributions(alike, score_name="cosine", alike=True).data) == 3
    with pytest.raises(ValueError, match="no scores"):
        score_distributions({"a": (np.float32([]), first)}, score_name="cosine")
