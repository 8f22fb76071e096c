"""The figures of the page Tokens, as data."""

import numpy as np
import pytest

from bertviz_core.figures.tokens import (
    SEGMENT_COLORS,
    line_length_bars,
    segment_strip,
    word_search_bars,
)


def test_the_search_as_bars() -> None:
    spans = np.array([(0, 2), (0, 1), (1, 2)])
    figure = word_search_bars("<b", ["<b", "<", "##b"], spans, [None, 7, 9])
    (bars,) = figure.data
    assert bars.base.tolist() == [0, 0, 1]
    assert figure.layout.xaxis.ticktext == ("&lt;", "b")
    assert figure.layout.yaxis.ticktext == ("1 &lt;b", "<b>2 &lt; = 7</b>", "<b>3 ##b = 9</b>")
    assert len(set(bars.marker.color)) == 2
    with pytest.raises(ValueError, match=r"shape \(3, 2\), pieces \(1,\)"):
        word_search_bars("x", ["x"], spans, [None])


def test_the_segments_as_a_strip() -> None:
    figure = segment_strip(np.array([[0, 0, 1], [0, 2, 3]]), ["text", "count"], ["a", "<b>", "a"])
    (strip,) = figure.data
    assert strip.z.dtype == np.float32
    assert strip.z.tolist() == [[0, 0, 1], [0, 2, 2]]
    assert strip.text.tolist() == [["A", "A", "B"], ["A", "2", "3"]]
    assert {color for _, color in strip.colorscale} == set(SEGMENT_COLORS)
    assert figure.layout.xaxis.ticktext == ("0 a", "1 &lt;b&gt;", "2 a")
    with pytest.raises(ValueError, match=r"shape \(1, 2\), labels \(1, 3\)"):
        segment_strip(np.zeros((1, 2), np.int64), ["x"], ["a", "b", "c"])


def test_lines_as_bars() -> None:
    words, further, special = np.array([3, 1]), np.array([1, 0]), np.array([2, 2])
    figure = line_length_bars(["<i>", "b"], words, further, special, room=512)
    assert figure.layout.yaxis.ticktext == ("1 &lt;i&gt;", "2 b")
    assert not figure.layout.shapes
    near = line_length_bars(["a", "b"], words, further, special, room=6)
    assert near.layout.shapes[0].x0 == 6
    with pytest.raises(ValueError, match=r"shape \(2,\), lines \(1,\)"):
        line_length_bars(["a"], words, further, special, room=6)
