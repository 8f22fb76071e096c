"""The figures of the closer looks, as data."""

import numpy as np
import pytest

from bertviz_core.figures.embeddings.orders import (
    equal_rows_heatmap,
    lines_over_runs,
    lines_over_tokens,
    order_bars,
)
from bertviz_core.figures.embeddings.outliers import dimension_scores
from bertviz_core.figures.embeddings.shares import MOST_MARKED, shares_figure
from bertviz_core.figures.embeddings.waterfall import contributions_figure, waterfall_figure

STAGES = ("one", "two", "three", "four")


def test_shares_are_stacked_and_labels_escaped() -> None:
    shares = np.array([[0.6, 1.1], [0.1, 0.1], [0.3, -0.2]])
    norms = np.ones((3, 2), np.float32)
    figure = shares_figure(["<b>", "dog"], shares, norms, norms[0], norms)
    assert figure.layout.barmode == "relative"
    assert figure.layout.xaxis.ticktext == ("0 &lt;b&gt;", "1 dog")
    assert {trace.mode for trace in figure.data[3:]} == {"markers"}
    named = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert named == ["token", "segment", "position", "sum"]
    count = MOST_MARKED + 1
    rows = np.ones((3, count), np.float32)
    many = shares_figure(["a"] * count, rows, rows, rows[0], rows)
    assert {trace.mode for trace in many.data[3:]} == {"lines"}
    assert len(many.layout.xaxis.ticktext) <= 64
    with pytest.raises(ValueError, match=r"norms have shape \(2, 2\), tokens make \(3, 2\)"):
        shares_figure(["a", "b"], shares, norms[:2], norms[0], norms)
    with pytest.raises(ValueError, match=r"summed_norms have shape \(3,\)"):
        shares_figure(["a", "b"], shares, norms, np.ones(3), norms)


def test_waterfall_bars_hang_between_the_numbers() -> None:
    changes = np.array([0.5, -0.25, 0.25, -0.1, 3.6, -2.0, 0.5])
    running = np.cumsum(changes)
    left, right = waterfall_figure(changes, running).data[:2]
    assert left.base == pytest.approx([0, 0.5, 0.25, 0.5, 0])
    assert left.base + left.y == pytest.approx([0.5, 0.25, 0.5, 0.4, 0.4])
    assert right.base == pytest.approx([0, 4, 2, 0])
    assert right.base + right.y == pytest.approx([4, 2, 2.5, 2.5])
    with pytest.raises(ValueError, match=r"changes have shape \(3,\)"):
        waterfall_figure(changes[:3], running)


def test_contributions_end_at_their_sum() -> None:
    bars = contributions_figure(np.array([1.0, -0.5, 0.25, -1.0])).data[0]
    assert bars.base + bars.y == pytest.approx([1, 0.5, 0.75, -0.25, -0.25])
    assert bars.text[-1] == "−0.25"
    with pytest.raises(ValueError, match=r"contributions have shape \(2,\)"):
        contributions_figure(np.zeros(2))


def test_dimension_scores_mark_the_outliers() -> None:
    first, second = np.array([0, 8, 1], np.float32), np.array([-7, 0, 1], np.float32)
    figure = dimension_scores({"a": first, "b": second}, [1, 0], threshold=6)
    assert figure.data[1].y.tolist() == [8, 0]
    assert figure.data[1].text == ("1", "0")
    assert [line.y0 for line in figure.layout.shapes] == [-6, 6, -6, 6]
    with pytest.raises(ValueError, match="expected one shape"):
        dimension_scores({"a": first, "b": second[:2]}, [], threshold=6)


def test_lines() -> None:
    values = np.arange(3.0)
    figure = lines_over_tokens({"a": values, "b": values * 2}, ["x", "x", "<i>"], title="t")
    assert figure.data[1].y.tolist() == [0, 2, 4]
    assert figure.data[0].line.dash != figure.data[1].line.dash
    assert figure.layout.xaxis.ticktext == ("0 x", "1 x", "2 &lt;i&gt;")
    with pytest.raises(ValueError, match=r"line 'a' has shape \(3,\), tokens \(2,\)"):
        lines_over_tokens({"a": values}, ["x", "y"], title="t")
    figure = lines_over_runs({"a": values}, runs="n", title="t")
    assert figure.data[0].x.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="expected one shape"):
        lines_over_runs({"a": values, "b": values[:2]}, runs="n", title="t")


def test_equal_rows() -> None:
    kept = np.array([[4, 0, 2]])
    figure = equal_rows_heatmap(kept, ["[CLS]"], ["[CLS]", "a", "[SEP]"], stages=STAGES)
    assert [list(row) for row in figure.data[0].text] == [["4", "", "2"]]
    assert figure.data[0].colorbar.ticktext == ("never", *STAGES)
    assert figure.layout.xaxis.ticktext == ("0 [CLS]", "1 a", "2 [SEP]")
    wide = equal_rows_heatmap(np.zeros((21, 20), int), ["a"] * 21, ["b"] * 20, stages=STAGES)
    assert wide.data[0].texttemplate is None
    with pytest.raises(ValueError, match=r"kept has shape \(1, 3\), tokens make \(1, 1\)"):
        equal_rows_heatmap(kept, ["a"], ["b"], stages=STAGES)
    with pytest.raises(ValueError, match="3 stages, colours for 4"):
        equal_rows_heatmap(kept, ["a"], ["a", "b", "c"], stages=STAGES[:3])


def test_orders() -> None:
    figure = order_bars(["x", "y"], np.array([0.0, 4.8e-7]))
    assert figure.data[0].text == ("0, bit for bit", "4.8e-07")
    assert figure.layout.yaxis.range == (1.5, -0.5)
    assert order_bars(["x"], np.zeros(1)).layout.xaxis.range == (0, 1e-6)
    with pytest.raises(ValueError, match=r"differences have shape \(1,\), orders \(2,\)"):
        order_bars(["x", "y"], np.zeros(1))
