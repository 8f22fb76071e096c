"""Matrices as heatmaps and as pictures, as data."""

import tomllib

import numpy as np
import plotly.graph_objects as go
import pytest

from bertviz_core.figures.colors import NEGATIVE, POSITIVE
from bertviz_core.figures.matrices import (
    Panel,
    embedding_stack,
    saturation_limit,
    signed_png,
    similarity_png,
    window_around,
)
from tests.figures.test_points import pixels
from tests.headless import ROOT

VALUES = np.float32([[0.5, -1, 0], [2, 0, -3]])


def test_saturation_limit() -> None:
    assert saturation_limit(np.zeros((2, 2), np.float32)) == 1.0
    assert saturation_limit(np.float32([[-2, 2]])) == 2.0
    mostly_small = np.ones(1000, np.float32)
    mostly_small[0] = 50
    assert saturation_limit(mostly_small) == 1.0


def test_stack_shares_one_axis_and_labels_a_window() -> None:
    panels = [Panel(f"part {i}", VALUES, 1.0) for i in range(3)]
    figure = embedding_stack(panels, ["a", "b"], first_token=4)
    assert {trace.xaxis for trace in figure.data} <= {"x", None}
    assert [trace.yaxis for trace in figure.data] == ["y", "y2", "y3"]
    assert figure.layout.yaxis3.ticktext == ("4 a", "5 b")
    assert figure.layout.grid.subplots == (("xy",), ("xy2",), ("xy3",)), "one below the other"


@pytest.mark.parametrize(("count", "chosen"), [(3, 1), (16, 15), (17, 3), (512, 300), (7, None)])
def test_rows_are_named_up_to_16_and_the_chosen_one_always(count: int, chosen: int | None) -> None:
    panel = Panel("sum", np.zeros((count, 2), np.float32), 1.0)
    tokens = ["a word of many letters"] * count
    layout = embedding_stack([panel] * 5, tokens, chosen=chosen).to_dict()["layout"]
    axis, row = layout["yaxis"], (layout["height"] - 36) / 5 / 1.05 / count
    named = sorted(axis["tickvals"])
    assert chosen is None or chosen in named
    assert count > 16 or named == list(range(count))
    assert min(np.diff(named)) * row >= axis["tickfont"]["size"]
    outlines = [one["yref"] for one in layout["shapes"]]
    assert outlines == ["y", "y2", "y3", "y4", "y5"] * (chosen is not None)
    assert max(len(name) for name in axis["ticktext"]) < 30


def test_many_cells_become_pictures_with_true_axes() -> None:
    rows = 300
    values = np.random.default_rng(0).normal(size=(rows, 400)).astype(np.float32)
    panel = Panel("x", values, 2.0)
    figure = embedding_stack([panel], ["t"] * rows)
    (picture,) = figure.data
    assert isinstance(picture, go.Image)
    assert list(figure.layout.xaxis.range) == [-0.5, 399.5]
    assert list(figure.layout.yaxis.range) == [rows - 0.5, -0.5]
    assert len(figure.layout.yaxis.ticktext) <= 30


def test_the_largest_message_is_far_below_the_bound() -> None:
    """All tokens that bert-base reads, with numbers that no packing makes small; segments are."""
    values = np.random.default_rng(0).normal(size=(512, 768)).astype(np.float32)
    segments = Panel("segment", np.ones_like(values), 2.0)
    figure = embedding_stack([*[Panel("x", values, 2.0)] * 4, segments], ["t"] * 512)
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    bound = settings["server"]["maxMessageSize"] * 1_000_000
    assert 1_000_000 < len(figure.to_json()) < bound / 3


def test_picture_has_a_pixel_a_cell_and_zero_lets_the_page_through() -> None:
    drawn = pixels(signed_png(np.float32([[-9, -1, 0], [1, 9, 0.5]]), limit=1.0))
    colors = [["#{:02X}{:02X}{:02X}".format(*pixel[:3]) for pixel in row] for row in drawn]
    assert colors[0][:2] == [NEGATIVE] * 2
    assert colors[1] == [POSITIVE] * 3
    assert drawn[..., 3].tolist() == [[255, 255, 0], [255, 255, 158]]


def test_a_window_of_the_columns_that_can_be_moved() -> None:
    values = np.zeros((2, 60), np.float32)
    figure = embedding_stack([Panel("x", values, 1.0)], ["a", "b"], window=48)
    axis = figure.layout.xaxis
    assert (list(axis.range), axis.minallowed, axis.maxallowed) == ([-0.5, 47.5], -0.5, 59.5)
    assert not embedding_stack([Panel("x", values, 1.0)], ["a", "b"], window=60).layout.updatemenus


def test_similarity_png_is_viridis_from_low_to_high() -> None:
    drawn = pixels(similarity_png(np.float32([[-5, 0, 0.25, 0.5, 1, 9]]), 0.0))[0, :, :3]
    darkest, brightest = [0x44, 0x01, 0x54], [0xFD, 0xE7, 0x25]
    assert drawn[:2].tolist() == [darkest] * 2
    assert drawn[-2:].tolist() == [brightest] * 2
    assert (np.diff(drawn[1:5, 1]) > 0).all()


def test_a_window_stays_inside() -> None:
    assert window_around(100, 110, 512, 64) == (range(68, 132), range(78, 142))
    assert window_around(0, 511, 512, 64) == (range(64), range(448, 512))
    assert window_around(3, 9, 16, 64) == (range(16), range(16))
