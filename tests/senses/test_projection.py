"""Maps: against scikit-learn, by hand, and how far those of the shipped sets can be trusted."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness

from bertviz_core.errors import UserInputError
from bertviz_core.senses import nearest_occurrences, prepared_set, sense_vectors
from bertviz_core.senses.projection import (
    layer_frame,
    map_ranks,
    shared_frame,
    trust,
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
    plane = layer_frame(cross)
    assert plane.points == pytest.approx(np.float32([[2, 0], [-2, 0], [0, 1], [0, -1]]), abs=1e-6)
    assert plane.explained == pytest.approx([0.8, 0.2])
    assert plane.points.dtype == np.float32
    assert not plane.points.flags.writeable


def test_shared_frame_equals_scikit_learn() -> None:
    plane = shared_frame(VECTORS)
    stacked = VECTORS - VECTORS.mean(axis=0)
    flat = stacked.reshape(-1, 12).astype(np.float64)
    pca = PCA(2).fit(flat)
    assert plane.points.shape == (40, 5, 2)
    assert np.abs(plane.points.reshape(-1, 2) - pca.transform(flat)).max() < 1e-5
    drawn = pca.transform(flat).reshape(40, 5, 2)
    whole = VECTORS.var(axis=0).sum(axis=-1)  # of each layer, around its own mean
    assert plane.explained == pytest.approx(drawn.var(axis=0) / whole[:, None], abs=1e-6)


@pytest.mark.parametrize("shape", [(1, 12), (3, 12), (4, 1)])
def test_degenerate_clouds_stay_finite(shape: tuple[int, int]) -> None:
    plane = layer_frame(np.ones(shape, np.float32))
    assert plane.points.shape == (shape[0], 2)
    assert np.isfinite(plane.points).all()
    assert plane.explained.tolist() == [0, 0]


def test_tsne_keeps_neighbours_and_repeats_itself() -> None:
    apart = VECTORS[:, 4].copy()
    apart[:15] += 20
    points = tsne_map(apart)
    assert points.shape == (40, 2)
    assert np.array_equal(points, tsne_map(apart))
    assert trust(apart, points).trustworthiness > 0.9
    assert np.isfinite(tsne_map(np.ones((6, 3), np.float32))).all()


def test_how_many_vectors_tsne_needs() -> None:
    assert [tsne_perplexity(count) for count in (2000, 28)] == [30, 9]
    with pytest.raises(UserInputError):
        tsne_map(VECTORS[:3, 0])


CHANCE = np.random.default_rng(5)
ANGLES = np.deg2rad([0, 10, 30, 65, 110])
FAN = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1).astype(np.float32)


def on_a_line(*values: float) -> np.ndarray:
    return np.float32([[value, 0] for value in values])


def test_trust_by_hand() -> None:
    """Five vectors like a fan; on the second map, the last one stands beside the first."""
    true = trust(FAN, on_a_line(0, 10, 30, 65, 110))
    assert (true.nearest, true.kept.tolist(), true.trustworthiness) == (2, [1] * 5, 1)
    assert true.by_chance == 0.5
    # Nearest on the map: 4 1, 4 0, 1 4, 2 1, 0 1; their ranks by angle: 4 1, 4 1, 1 4, 1 3, 4 3.
    wrong = trust(FAN, on_a_line(0, 1, 3, 6, 0.4))
    assert wrong.kept.tolist() == [0.5, 0.5, 0.5, 0.5, 0]
    assert wrong.trustworthiness == pytest.approx(1 - (2 + 2 + 2 + 1 + 2 + 1) / 15)
    assert wrong.kept.dtype == np.float32
    assert not wrong.kept.flags.writeable


@pytest.mark.parametrize("count", [3, 21, 100])
def test_equals_scikit_learn_and_sets_of_neighbours(count: int) -> None:
    vectors = CHANCE.normal(size=(count, 6)).astype(np.float32)
    points = vectors[:, :2] + np.float32(0.3) * CHANCE.normal(size=(count, 2)).astype(np.float32)
    ours = trust(vectors, points)
    k = min(10, (count - 1) // 2)
    assert ours.nearest == k
    assert ours.by_chance == pytest.approx(k / (count - 1))
    theirs = trustworthiness(vectors, points, n_neighbors=k, metric="cosine")
    assert ours.trustworthiness == pytest.approx(theirs, abs=1e-5)  # some tie, rounded to 1e-6
    for row in range(count):
        by_cosine = set(nearest_occurrences(vectors, row, k)[0])
        distances = np.linalg.norm(points - points[row], axis=1)
        distances[row] = np.inf
        by_map = set(np.argsort(distances)[:k].tolist())
        assert ours.kept[row] == pytest.approx(len(by_cosine & by_map) / k)
        ranks = map_ranks(points, row)
        assert set(np.flatnonzero((ranks >= 1) & (ranks <= k)).tolist()) == by_map


def test_equally_near_vectors_are_all_nearest() -> None:
    """Equal vectors: whichever the map puts first, it is not wrong, and chance is no worse."""
    alike = trust(np.ones((9, 3), np.float32), CHANCE.normal(size=(9, 2)).astype(np.float32))
    assert (alike.kept.tolist(), alike.by_chance, alike.trustworthiness) == ([1] * 9, 1, 1)


def test_distances_keep_most_of_the_nearest_by_cosine(minilm_encoder) -> None:
    """The maps are made from distances: one without any loss would keep 8.8 of 10 here."""
    vectors = sense_vectors(minilm_encoder, prepared_set("bank").occurrences).vectors[:, 6]
    distances = np.linalg.norm(vectors[:, None] - vectors[None], axis=-1)
    both = [
        len({*nearest_occurrences(vectors, row)[0]} & {*np.argsort(distances[row])[1:11].tolist()})
        for row in range(len(vectors))
    ]
    assert np.mean(both) == pytest.approx(8.8, abs=0.1)
