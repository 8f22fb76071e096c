"""Maps: against scikit-learn, by hand, and how far those of the shipped sets can be trusted."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from bertviz_core.errors import UserInputError
from bertviz_core.senses import nearest_occurrences
from bertviz_core.senses.projection import (
    map_ranks,
    shared_frame,
    tsne_map,
    tsne_perplexity,
)

RANDOM = np.random.default_rng(3)
# Two groups that move apart from layer to layer, while all drift the same way.
VECTORS = (
    RANDOM.normal(size=(40, 5, 12))
    + np.linspace(0, 4, 5)[None, :, None] * np.eye(12)[0]
    + np.linspace(0, 3, 5)[None, :, None] * np.where(np.arange(40) < 15, 1, -1)[:, None, None]
).astype(np.float32)


def test_by_hand() -> None:
    """Four points on a cross, twice as wide as high: the axes are its arms."""
    cross = np.float32([[2, 0, 0], [-2, 0, 0], [0, 1, 0], [0, -1, 0]]) + np.float32([7, 7, 7])
    plane = shared_frame(cross[:, None])
    assert plane.points[:, 0] == pytest.approx(
        np.float32([[2, 0], [-2, 0], [0, 1], [0, -1]]), abs=1e-6
    )
    assert plane.explained[0] == pytest.approx([0.8, 0.2])
    assert plane.points.dtype == np.float32
    assert not plane.points.flags.writeable
    assert shared_frame(np.ones((3, 1, 12), np.float32)).explained.tolist() == [[0, 0]]


def test_shared_frame_equals_scikit_learn() -> None:
    plane = shared_frame(VECTORS)
    stacked = VECTORS - VECTORS.mean(axis=0)
    flat = stacked.reshape(-1, 12).astype(np.float64)
    pca = PCA(2).fit(flat)
    assert plane.points.shape == (40, 5, 2)
    assert np.abs(plane.points.reshape(-1, 2) - pca.transform(flat)).max() < 1e-5
    points = pca.transform(flat).reshape(40, 5, 2)
    whole = VECTORS.var(axis=0).sum(axis=-1)  # of each layer, around its own mean
    assert plane.explained == pytest.approx(points.var(axis=0) / whole[:, None], abs=1e-6)


def test_tsne_keeps_neighbours_and_repeats_itself() -> None:
    apart = VECTORS[:, 4].copy()
    apart[:15] += 20
    points = tsne_map(apart)
    assert points.shape == (40, 2)
    assert np.array_equal(points, tsne_map(apart))
    nearest, _ = nearest_occurrences(-np.abs(apart), 0, 5)
    assert set(nearest) <= set(range(15))
    assert [tsne_perplexity(count) for count in (2000, 28)] == [30, 9]
    with pytest.raises(UserInputError):
        tsne_map(VECTORS[:3, 0])


def test_ranks_on_a_map() -> None:
    """Points on a line; equally near ones share their rank."""
    points = np.float32([[0, 0], [3, 0], [-1, 0], [1, 0]])
    assert map_ranks(points, 0).tolist() == [0, 3, 1, 1]
