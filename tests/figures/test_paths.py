"""The plane of two anchors, as data: paths, large dots, frames, the legend."""

import numpy as np
import pytest

from bertviz_core.figures.colors import SENTENCE_COLORS
from bertviz_core.figures.paths import Path, anchor_plane
from tests.headless import numbers

# Two words that start at one point and part to the two sides, to both anchors at layers 0, 1, 2.
PATHS = np.float32([[[0.3, 0.2], [0.5, 0.3], [0.8, 0.1]], [[0.3, 0.2], [0.3, 0.5], [0.1, 0.7]]])
NAMES = [("my pet ", "python", ""), ("", "<b>", " here")]
HINTS = [["a0", "a1", "a2"], ["b0", "b1", "b2"]]


def plane(layer: int = 1):
    paths = [
        Path(name, *points.T, hints, color)
        for name, points, hints, color in zip(NAMES, PATHS, HINTS, SENTENCE_COLORS, strict=False)
    ]
    return anchor_plane(paths, ("snake", "<x>"), PATHS.mean(axis=0), layer=layer)


def test_paths_up_to_the_layer_and_large_dots() -> None:
    figure = plane()
    first, second, *large = figure.data
    # What is to come lies under the large dot.
    assert first.x.tolist() == pytest.approx([0.3, 0.5, 0.5])
    assert second.y.tolist() == pytest.approx([0.2, 0.5, 0.5])
    assert first.customdata == ("a0", "a1", "a1")
    assert [(*dot.x, *dot.y) for dot in large] == [
        pytest.approx((0.5, 0.3)),
        pytest.approx((0.3, 0.5)),
    ]
    # A path ends in the number that the legend explains.
    assert [dot.text for dot in large] == [("<b>1</b>",), ("<b>2</b>",)]
    assert [dot.customdata for dot in large] == [("a1",), ("b1",)]
    assert [dot.marker.color for dot in large] == [first.marker.color, second.marker.color]
    assert first.name == "<b>1</b> · my pet <b>python</b>"
    assert second.name == "<b>2</b> · <b>&lt;b&gt;</b> here"
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False]


def test_both_axes_are_equally_long_and_the_line_moves_with_the_words() -> None:
    figure = plane()
    layout = figure.layout
    (left, right), (bottom, top) = layout.xaxis.range, layout.yaxis.range
    assert right - left == pytest.approx(top - bottom)
    assert left < 0.1 < 0.8 < right
    assert bottom < 0.1 < 0.7 < top
    middle = PATHS.mean(axis=0)
    for layer, frame in enumerate(figure.played):
        (line,) = frame["layout"]["shapes"]
        assert line["y0"] - line["x0"] == pytest.approx(middle[layer, 1] - middle[layer, 0])
        assert line["y1"] - line["x1"] == pytest.approx(line["y0"] - line["x0"])
    sides = [note.text for note in layout.annotations if "leans to" in note.text]
    assert sides == ["<i>leans to &lt;x&gt;</i>", "<i>leans to snake</i>"]


def test_frames_move_the_large_dots_to_the_last_layer() -> None:
    figure = plane()
    assert figure.layout.sliders[0].active == 1
    assert [frame["name"] for frame in figure.played] == ["0", "1", "2"]
    for layer, frame in enumerate(figure.played):
        assert list(frame["traces"]) == [0, 1, 2, 3]
        first, _, *dots = frame["data"]
        assert [dot["x"][0] for dot in dots] == PATHS[:, layer, 0].tolist()
        assert first["x"].tolist() == PATHS[0, [0, min(layer, 1), layer], 0].tolist()
        assert not any("text" in trace for trace in frame["data"]), "texts follow by themselves"
        sent = figure.to_dict()["frames"][layer]["data"][2]
        assert numbers(sent["y"]).tolist() == [PATHS[0, layer, 1]]
    play = figure.layout.updatemenus[0].buttons[0]
    assert list(play.args[0]) == ["0", "1", "2"]
