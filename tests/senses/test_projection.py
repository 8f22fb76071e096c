import numpy as np
import pytest
from sklearn.decomposition import PCA

from bertviz_core.errors import UserInputError
from bertviz_core.senses import prepared_set, sense_vectors
from bertviz_core.senses.projection import layer_frame, shared_frame, tsne_map, tsne_perplexity

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


@pytest.mark.parametrize("keep_drift", [False, True])
def test_shared_frame_equals_scikit_learn(keep_drift: bool) -> None:
    plane = shared_frame(VECTORS, keep_drift=keep_drift)
    stacked = VECTORS if keep_drift else VECTORS - VECTORS.mean(axis=0)
    flat = stacked.reshape(-1, 12).astype(np.float64)
    pca = PCA(2).fit(flat)
    assert plane.points.shape == (40, 5, 2)
    assert np.abs(plane.points.reshape(-1, 2) - pca.transform(flat)).max() < 1e-5
    drawn = pca.transform(flat).reshape(40, 5, 2)
    whole = VECTORS.var(axis=0).sum(axis=-1)  # of each layer, around its own mean
    assert plane.explained == pytest.approx(drawn.var(axis=0) / whole[:, None], abs=1e-6)
    if not keep_drift:  # what the layers show adds up to what scikit-learn says of all together
        together = (plane.explained * whole[:, None]).sum(axis=0) / whole.sum()
        assert together == pytest.approx(pca.explained_variance_ratio_, abs=1e-6)


def test_frames_of_the_trained_model_equal_scikit_learn(minilm_encoder) -> None:
    vectors = sense_vectors(minilm_encoder, prepared_set("bat").occurrences).vectors
    flat = (vectors - vectors.mean(axis=0, dtype=np.float64)).reshape(-1, 384)
    theirs = PCA(2).fit_transform(flat)
    assert np.abs(shared_frame(vectors).points.reshape(-1, 2) - theirs).max() < 1e-4


def test_a_point_moves_only_where_its_place_among_the_others_changes() -> None:
    still = np.repeat(VECTORS[:, :1], 3, axis=1) + np.float32([0, 5, 9])[None, :, None]
    points = shared_frame(still).points
    assert np.abs(points - points[:, :1]).max() < 1e-4
    drifting = shared_frame(still, keep_drift=True).points
    assert np.abs(drifting - drifting[:, :1]).max() > 5


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
    one, other = points[:15], points[15:]
    gap = np.linalg.norm(one.mean(axis=0) - other.mean(axis=0))
    assert gap > np.linalg.norm(one - one.mean(axis=0), axis=1).max()
    assert np.isfinite(tsne_map(np.ones((6, 3), np.float32))).all()


def test_how_many_vectors_tsne_needs() -> None:
    assert [tsne_perplexity(count) for count in (2000, 28)] == [30, 9]
    with pytest.raises(UserInputError):
        tsne_map(VECTORS[:3, 0])
    with pytest.raises(UserInputError):
        shared_frame(np.empty((0, 3, 8), np.float32))
