import numpy as np
import pytest

from bertviz_core.views.word_senses.map_figure import (
    map_figure,
)

POINTS = np.float32([[0, 1], [2, 3], [-4, 0], [1, 1]])
# Of two occurrences of "a" and one of "b", at three layers.
LAYERS = np.float32(
    [[[0, 0], [1, 0], [4, 0]], [[0, 0], [3, 2], [8, 2]], [[0, 0], [-4, 1], [-9, 3]]]
)
AXES = ("PC 1", "PC 2")


def test_points_carry_their_number_and_an_escaped_text() -> None:
    figure = map_figure(POINTS, ["b", "a", "b", "<i>"], ["w", "x<b>", "y", "z"], axes=AXES)
    odd, a, b = figure.data
    assert (odd.name, a.name, b.name) == ("&lt;i&gt;", "a", "b")
    assert a.customdata[0] == [1, "x&lt;b&gt;"]
    assert len({trace.marker.color for trace in (odd, a, b)}) == 3
    assert len({trace.marker.symbol for trace in (odd, a, b)}) == 3
    assert figure.layout.yaxis.scaleanchor == "x"
    assert figure.layout.xaxis.showticklabels is False


def test_frames_are_the_points_of_each_layer() -> None:
    figure = map_figure(LAYERS[:, 1], ["a", "a", "b"], ["t"] * 3, axes=AXES, layers=LAYERS, layer=1)
    assert figure.layout.xaxis.range == pytest.approx((-9 - 17 / 20, 8 + 17 / 20))
    assert [frame["name"] for frame in figure.played] == ["0", "1", "2"]
    for layer, frame in enumerate(figure.played):
        a, b, shown = frame["data"]
        assert [*frame["traces"]] == [0, 1, 2]
        assert (a["x"].tolist(), a["y"].tolist()) == tuple(LAYERS[:2, layer].T.tolist())
        assert [b["x"][0], b["y"][0]] == LAYERS[2, layer].tolist()
        assert [*shown["text"]] == [f"layer {layer}"]
    for shown, same in zip(figure.data, figure.played[1]["data"], strict=True):
        assert (list(shown.x), list(shown.y)) == (list(same["x"]), list(same["y"]))
    (button,) = figure.layout.updatemenus[0].buttons
    assert [*button.args[0]] == ["0", "1", "2", "1"]  # and back to the layer of the page
    last = map_figure(LAYERS[:, 2], ["a", "a", "b"], ["t"] * 3, axes=AXES, layers=LAYERS, layer=2)
    assert [*last.layout.updatemenus[0].buttons[0].args[0]] == ["0", "1", "2"]
