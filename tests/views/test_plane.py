"""The plane of two anchors, as data: paths, large dots, frames, labels."""

import numpy as np
import pytest

from bertviz_core.views.word_in_context.plane import DOT, SMALL, anchor_plane
from tests.headless import numbers

# Two words that start at one point and part to the two sides, to both anchors at layers 0, 1, 2.
PATHS = np.float32([[[0.3, 0.2], [0.5, 0.3], [0.8, 0.1]], [[0.3, 0.2], [0.3, 0.5], [0.1, 0.7]]])
NAMES = [("my pet ", "python", ""), ("", "<b>", " here")]
HINTS = [["a0", "a1", "a2"], ["b0", "b1\n<i>", "b2"]]


def plane(paths: np.ndarray = PATHS, **changes):
    given = {"names": NAMES, "anchors": ("snake", "<x>"), "hints": HINTS, "layer": 1} | changes
    return anchor_plane(paths, **given)


def test_paths_and_large_dots() -> None:
    figure = plane()
    first, second, numbered, large = figure.data
    assert first.x.tolist() == pytest.approx([0.3, 0.5, 0.8])
    assert second.y.tolist() == pytest.approx([0.2, 0.5, 0.7])
    assert (list(large.x), list(large.y)) == (pytest.approx([0.5, 0.3]), pytest.approx([0.3, 0.5]))
    assert large.text == ("<b>1</b>", "<b>1</b>")
    assert large.customdata == ("a1", "b1<br>&lt;i&gt;")
    # The chosen layer's number is in the large dot, that of the shared start once.
    assert numbered.text == ("0", "2", "2")
    assert list(zip(numbered.x, numbered.y, strict=True)) == [
        pytest.approx(place) for place in ((0.3, 0.2), (0.8, 0.1), (0.1, 0.7))
    ]
    assert list(first.marker.size) == [DOT, SMALL, DOT]
    assert large.marker.size > DOT
    assert large.marker.color == (first.marker.color, second.marker.color)
    assert figure.layout.xaxis.title.text == "similarity to snake"
    assert figure.layout.yaxis.title.text == "similarity to &lt;x&gt;"


def test_both_axes_are_equally_long_and_hold_the_diagonal() -> None:
    layout = plane().layout
    (left, right), (bottom, top) = layout.xaxis.range, layout.yaxis.range
    assert right - left == pytest.approx(top - bottom)
    assert left < 0.1 < 0.8 < right
    assert bottom < 0.1 < 0.7 < top
    diagonal = layout.shapes[0]
    assert (diagonal.x0, diagonal.x1) == (diagonal.y0, diagonal.y1)
    assert diagonal.x0 == max(left, bottom)
    sides = [note.text for note in layout.annotations if "closer to" in note.text]
    assert sides == ["<i>closer to &lt;x&gt;</i>", "<i>closer to snake</i>"]
    # Far from the diagonal, some of it is still there, and only corners of that side say so.
    far = plane(PATHS * [0.1, 0.1] + [0.0, 0.8]).layout
    assert far.shapes[0].x1 > far.shapes[0].x0
    assert far.xaxis.range[1] > far.yaxis.range[0]


def test_frames_move_the_large_dots_and_end_where_they_were() -> None:
    figure = plane()
    assert [frame["name"] for frame in figure.played] == ["0", "1", "2"]
    for layer, frame in enumerate(figure.played):
        assert list(frame["traces"]) == [3]
        (dots,) = frame["data"]
        assert dots["x"].tolist() == PATHS[:, layer, 0].tolist()
        sent = figure.to_dict()["frames"][layer]["data"][0]
        assert numbers(sent["y"]).tolist() == PATHS[:, layer, 1].tolist()
    play = figure.layout.updatemenus[0].buttons[0]
    assert list(play.args[0]) == ["0", "1", "2", "1"]


def test_labels_at_the_ends() -> None:
    labels = [note for note in plane().layout.annotations if note.showarrow]
    assert [note.text for note in labels] == ["my pet <b>python</b>", "<b>&lt;b&gt;</b> here"]
    assert [(note.x, note.y) for note in labels] == [
        pytest.approx((0.8, 0.1)),
        pytest.approx((0.1, 0.7)),
    ]
    assert [note.xanchor for note in labels] == ["right", "left"], "towards the middle"


def test_twelve_words_stay_readable() -> None:
    ends = np.float32([0.5, 0.2]) + np.linspace(0, 0.02, 12, dtype=np.float32)[:, None]
    paths = np.stack([np.full((12, 2), 0.9, np.float32), ends], axis=1)
    figure = plane(paths, names=[("", f"w{i}", "") for i in range(12)], hints=[["", ""]] * 12)
    assert len({trace.marker.color for trace in figure.data[:-2]}) == 7, "six, and grey"
    assert not figure.data[-2].text
    labels = [note for note in figure.layout.annotations if note.showarrow]
    assert len(labels) == 6
    height = 400 - 98
    span = figure.layout.yaxis.range[1] - figure.layout.yaxis.range[0]
    ats = sorted(note.ay - note.y * height / span for note in labels)
    assert min(np.diff(ats)) >= 19, "one below the other"


def test_a_label_goes_where_it_hides_no_dot() -> None:
    path = np.float32([[[0.1, 0.1], [0.9, 0.9], [0.2, 0.5]]])
    other = np.float32([[[0.1, 0.1], [0.9, 0.9], [0.9, 0.9]]])
    names, hints = [("", "one", ""), ("", "two", "")], [[""] * 3] * 2

    def place(in_the_way: np.ndarray) -> tuple[str, bool]:
        paths = np.concatenate([path, in_the_way])
        note = next(
            note
            for note in plane(paths, names=names, hints=hints).layout.annotations
            if note.text == "<b>one</b>"
        )
        return note.xanchor, note.ay > 0

    assert place(other) == ("left", True), "to the middle, and on in the direction of the last step"
    blocked = other.copy()
    blocked[0, 1] = 0.24, 0.43  # 27 pixels to the right of the end, and 20 below it
    assert place(blocked) != ("left", True)
