"""The figures of the page on the inside of a model, as data."""

import numpy as np
import pytest
from PIL import ImageColor

from bertviz_core.figures import template
from bertviz_core.figures.colors import contrast, ink
from bertviz_core.figures.inside.norms import LOOKS, norms_by_kind_scatter, norms_picture
from bertviz_core.figures.inside.parameters import parameter_treemap
from bertviz_core.figures.inside.tensors import tensor_histogram
from bertviz_core.figures.inside.training import gradient_bars, pooler_scatter, row_gradients
from tests.figures.test_points import pixels

WHITE, BLACK = "#FFFFFF", "#000000"


def test_treemap() -> None:
    figure = parameter_treemap(
        ["all", "a", "b"], ["<i>all", "a", "b"], ["", "all", "all"], np.array([5, 2, 3]),
        [WHITE, BLACK, WHITE], ["", "2 × 1", "3"],
    )  # fmt: skip
    (trace,) = figure.data
    assert trace.labels[0] == "&lt;i&gt;all"
    assert trace.branchvalues == "total"
    assert list(trace.textfont.color) == [ink(WHITE), ink(BLACK), ink(WHITE)]
    columns = (["all", "a"], ["all", "a"], ["", "all"])
    with pytest.raises(ValueError, match="all counts 5, its parts 2"):
        parameter_treemap(*columns, np.array([5, 2]), [WHITE] * 2, [""] * 2)
    with pytest.raises(ValueError, match=r"counts have shape \(1,\), .* ids \(2,\)"):
        parameter_treemap(*columns, np.array([5]), [WHITE] * 2, [""] * 2)
    with pytest.raises(ValueError, match=r"colors have shape \(1,\), ids \(2,\)"):
        parameter_treemap(*columns, np.array([2, 2]), [WHITE], [""] * 2)


def test_tensor_histogram() -> None:
    counts, edges = np.array([1, 1000]), np.array([0.0, 1.0, 2.0])
    (bars,) = tensor_histogram(counts, edges).data
    assert bars.x.tolist() == [0.5, 1.5]
    assert bars.width == 1
    assert bars.customdata[1].tolist() == [1, 2]
    layout = tensor_histogram(counts, edges).layout
    assert layout.yaxis.type == "log"
    assert layout.yaxis.range[0] < 0 < 3 < layout.yaxis.range[1]  # 1 and 1000 are both seen
    assert tensor_histogram(counts, edges, log=False).layout.yaxis.type is None
    with pytest.raises(ValueError, match=r"\(2,\), edges \(2,\)"):
        tensor_histogram(counts, edges[:2])


def test_norms_of_few_rows_are_marks() -> None:
    norms, kinds = np.float32([1, 2, 3]), np.int8([0, 2, 0])
    figure = norms_by_kind_scatter(norms, kinds, ["word", "none", "special"], ["a", "<b>", "c"])
    words, special = figure.data
    assert words.y.dtype == np.float32
    assert special.text == ("&lt;b&gt;",)
    assert (words.name, special.name) == ("word (2)", "special (1)")
    assert "median 2.000" in words.hovertemplate
    assert words.marker.color != special.marker.color
    only = norms_by_kind_scatter(
        norms, kinds, ["word", "none", "special"], ["a", "<b>", "c"], shown=[2]
    )
    assert [trace.name for trace in only.data] == ["special (1)"]
    assert only.layout.xaxis.range == figure.layout.xaxis.range
    with pytest.raises(ValueError, match=r"tokens \(1,\)"):
        norms_by_kind_scatter(norms, kinds, ["a"] * 3, ["a"])
    with pytest.raises(ValueError, match="9 kinds"):
        norms_by_kind_scatter(norms, kinds, ["a"] * 9, ["a"] * 3)


def test_norms_of_many_rows_are_a_picture_with_some_marks() -> None:
    rows = np.arange(5_000)
    norms, kinds = np.float32(1 + rows % 7 / 10), np.int8(rows % 2)
    norms[123] = 3
    figure = norms_by_kind_scatter(
        norms, kinds, ["word", "subword"], [str(row) for row in rows], extremes=[17, 123]
    )
    (image,), layout = figure.layout.images, figure.layout
    assert (image.x, image.x + image.sizex) == layout.xaxis.range
    assert (image.y - image.sizey, image.y) == layout.yaxis.range
    assert layout.yaxis.range[0] == 0
    drawn = pixels(image.source)
    height, width = drawn.shape[:2]
    column = int((123 - image.x) / image.sizex * width)
    row = int((image.y - 3) / image.sizey * height)
    assert np.abs(drawn[row, column] - [*ImageColor.getrgb(LOOKS[1].color), 255]).max() < 4
    assert not drawn[int((image.y - 0.5) / image.sizey * height)].any()
    marked = np.concatenate([trace.x for trace in figure.data])
    assert {17, 123} <= set(marked.tolist())
    assert [trace.name for trace in figure.data] == ["word (2,500)", "subword (2,500)"]
    only = pixels(norms_picture(norms, kinds, [0]))
    assert not only[row, column].any()
    kept = norms_by_kind_scatter(norms, kinds, ["a", "b"], [""] * 5_000, png="data:,")
    assert kept.layout.images[0].source == "data:,"


@pytest.mark.parametrize("ground", [template.LIGHT["ground"], template.DARK["ground"]])
def test_kinds_stand_out_from_the_ground(ground: str) -> None:
    assert min(contrast(look.color, ground) for look in LOOKS) >= 3
    assert len({(look.color, look.symbol) for look in LOOKS}) == len(LOOKS)


def test_pooler() -> None:
    before, after = np.float32([-1, 3]), np.float32([0.1, 0.9])
    line = pooler_scatter(before, after, before_name="x", curve=True).data[0]
    np.testing.assert_allclose(line.y, np.tanh(line.x))
    assert line.x.max() > 3
    assert len(pooler_scatter(before, after, before_name="x", curve=False).data) == 1
    with pytest.raises(ValueError, match=r"\(2,\), after \(1,\)"):
        pooler_scatter(before, after[:1], before_name="x", curve=False)


def test_gradient_bars() -> None:
    (bars,) = gradient_bars(["<a>", "b"], np.float32([0.5, 0]), [WHITE, BLACK]).data
    assert bars.customdata == ("&lt;a&gt;", "b")
    with pytest.raises(ValueError, match=r"\(1,\), names \(2,\)"):
        gradient_bars(["a", "b"], np.float32([1]), [WHITE, BLACK])


def test_row_gradients() -> None:
    rows = np.float32([0.1, 0.2])
    figure = row_gradients(["the", "the"], rows, rows * 2, rows * 3)
    assert [trace.name for trace in figure.data] == ["token row", "position row", "segment row"]
    assert figure.layout.xaxis.ticktext == ("0 the", "1 the")
    assert len({trace.marker.symbol for trace in figure.data}) == 3
    with pytest.raises(ValueError, match=r"segment row has shape \(1,\), tokens \(2,\)"):
        row_gradients(["a", "b"], rows, rows, rows[:1])
