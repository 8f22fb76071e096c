import numpy as np
import pytest

from bertviz_core.figures.contextual.attribution import attribution_strip, gradients_and_masking


def test_strip_of_two_sentences_and_of_one() -> None:
    first = np.arange(9.0).reshape(3, 3)
    second = -np.ones((3, 2))
    figure = attribution_strip([first, second], [["a", "<b>", "c"], ["d", "e"]], [[1], [0]])
    token, segment, position = figure.data
    assert token.x.tolist() == [0, 1, 2, 4, 5], "a gap between the sentences"
    assert token.y.tolist() == [0, 1, 2, -1, -1]
    assert segment.y.tolist() == [3, 4, 5, -1, -1]
    assert position.y.tolist() == [6, 7, 8, -1, -1]
    assert [bar.name for bar in figure.data] == ["token row", "segment row", "position row"]
    ticks = ("a", "<b>&lt;b&gt;</b>", "c", "", "<b>d</b>", "e")
    assert figure.layout.xaxis.ticktext == ticks
    assert figure.layout.barmode == "relative"
    assert figure.layout.shapes[0].x0 == 3
    with pytest.raises(ValueError, match="shares"):
        attribution_strip([first], [["a"]], [[0]])
    assert not attribution_strip([np.ones((3, 1))], [["a"]], [[0]]).layout.shapes


def test_gradients_and_masking() -> None:
    figure = gradients_and_masking(np.array([0.1, -0.2]), np.array([0.3, 0.0]), ["a", "<b>"])
    assert figure.data[0].y.tolist() == pytest.approx([0.1, -0.2])
    assert figure.data[1].y.tolist() == pytest.approx([0.3, 0])
    assert figure.layout.xaxis.ticktext == ("a", "&lt;b&gt;")
    with pytest.raises(ValueError, match="numbers for 1 words"):
        gradients_and_masking(np.zeros(2), np.zeros(2), ["a"])
