import numpy as np
import pytest

from bertviz_core.figures.contextual.explained import explained_areas


def test_explained_areas() -> None:
    added = np.array([[0.9, 0.4], [0.1, 0.02], [-0.01, 0.18]])
    figure = explained_areas(added, 1 - added.sum(axis=0))
    assert [area.name for area in figure.data] == [
        "token row", "+ position", "+ sentence", "not explained"
    ]  # fmt: skip
    assert sum(np.array(area.y) for area in figure.data) == pytest.approx([1, 1])
    assert len({area.stackgroup for area in figure.data}) == 1
    assert len({area.fillcolor for area in figure.data}) == 4
    with pytest.raises(ValueError, match=r"added has shape \(3, 2\), rest \(3,\)"):
        explained_areas(added, np.zeros(3))
