"""The plane of two anchors, as data: paths, large dots, frames, labels."""

import numpy as np
import pytest

from bertviz_core.views.word_in_context.placing import (
    LARGE,
    PLACES,
    SMALL,
    Obstacles,
    near_first,
)
from bertviz_core.views.word_in_context.plane import BLANK, anchor_plane
from tests.headless import numbers

# Two words that start at one point and part to the two sides, to both anchors at layers 0, 1, 2.
PATHS = np.float32([[[0.3, 0.2], [0.5, 0.3], [0.8, 0.1]], [[0.3, 0.2], [0.3, 0.5], [0.1, 0.7]]])
NAMES = [("my pet ", "python", ""), ("", "<b>", " here")]
HINTS = [["a0", "a1", "a2"], ["b0", "b1\n<i>", "b2"]]


def plane(paths: np.ndarray = PATHS, **changes):
    given = {"names": NAMES, "anchors": ("snake", "<x>"), "hints": HINTS, "layer": 1} | changes
    return anchor_plane(paths, **given)


def test_paths_up_to_the_layer_and_large_dots() -> None:
    first, second, large, numbered, words = plane().data
    # What is to come lies under the large dot.
    assert first.x.tolist() == pytest.approx([0.3, 0.5, 0.5])
    assert second.y.tolist() == pytest.approx([0.2, 0.5, 0.5])
    assert first.customdata == ("a0", "a1", "a1")
    assert (list(large.x), list(large.y)) == (pytest.approx([0.5, 0.3]), pytest.approx([0.3, 0.5]))
    assert large.text == ("<b>1</b>", "<b>1</b>")
    assert large.customdata == ("a1", "b1<br>&lt;i&gt;")
    assert large.marker.color == (first.marker.color, second.marker.color)
    # The number of the shared start once, those of later layers not yet.
    assert [text for text in numbered.text if text != BLANK] == ["<b>0</b>"]
    assert words.text == ("my pet <b>python</b>", "<b>&lt;b&gt;</b> here")
    assert (list(words.x), list(words.y)) == (list(large.x), list(large.y))


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
        assert list(frame["traces"]) == [0, 1, 2, 3, 4]
        first, _, dots, numbered, words = frame["data"]
        assert dots["x"].tolist() == words["x"].tolist() == PATHS[:, layer, 0].tolist()
        assert first["x"].tolist() == PATHS[0, [0, min(layer, 1), layer], 0].tolist()
        assert len([text for text in numbered["text"] if text != BLANK]) == [0, 1, 3][layer]
        sent = figure.to_dict()["frames"][layer]["data"][2]
        assert numbers(sent["y"]).tolist() == PATHS[:, layer, 1].tolist()
    play = figure.layout.updatemenus[0].buttons[0]
    assert list(play.args[0]) == ["0", "1", "2"]


def test_twelve_words_stay_readable() -> None:
    ends = np.float32([0.5, 0.2]) + np.linspace(0, 0.02, 12, dtype=np.float32)[:, None]
    paths = np.stack([np.full((12, 2), 0.9, np.float32), ends], axis=1)
    figure = plane(paths, names=[("", f"w{i}", "") for i in range(12)], hints=[["", ""]] * 12)
    *drawn, _, numbered, words = figure.data
    assert len({trace.marker.color for trace in drawn}) == 7, "six, and grey"
    assert not numbered.text
    assert len(words.text) == 6


def test_a_label_goes_where_it_hides_nothing() -> None:
    """Each number is beside its own dot, over no other dot and no other number."""
    draw = np.random.default_rng(0)
    for _ in range(20):
        paths = draw.uniform(0, (520, 300), (3, 7, 2))
        taken = Obstacles(paths[None], np.array([(520, 300)]))
        for word, layer in near_first(paths):
            name, away = taken.place(word, layer, 1, SMALL / 2, LARGE / 2)
            assert name in PLACES
            assert away in (SMALL / 2, LARGE / 2)
        middles, halves = taken.labels[0], taken.halves
        apart = np.abs(middles[:, None] - middles) >= halves[:, None] + halves
        assert (apart.any(axis=-1) | np.eye(len(middles), dtype=bool)).mean() > 0.99
        assert (middles > 0).all()
        assert (middles < [520, 300]).all()
    # A dot above: the label goes to the next place.
    lone = Obstacles(np.float64([[[[100, 100], [100, 86]]]]), np.array([(520, 300)]))
    assert lone.place(0, 0, 1, SMALL / 2)[0] == "bottom center"
