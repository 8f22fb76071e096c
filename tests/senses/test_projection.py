"""Maps: against scikit-learn, by hand, and how far those of the shipped sets can be trusted."""

import io
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from bertviz_core.senses import group, sense_scores
from bertviz_core.senses.projection import map_ranks, shared_frame
from bertviz_core.senses.vector_files import read
from tests.data.vector_files import npz_file

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


SCALES = [1e-60, 1e-38, 1e-30, 1e-25, 1e-19, 1e-7]
ODD: dict[str, Any] = {
    **{f"{scale:g}": VECTORS[:, 4] * np.float64(scale) for scale in SCALES},
    "equal": np.full((8, 3), 1e-30),
    "zeros": np.zeros((8, 3)),
    "equal but one": np.where(np.arange(8)[:, None] == 0, 2e-30, 1e-30) * np.ones(3),
    "in two places": np.where(np.arange(8)[:, None] < 3, 1e-30, 2e-30) * np.ones(3),
    "zeros but one": np.where(np.arange(8)[:, None] == 0, 1e-30, 0) * np.ones(3),
    "nearly equal": 1 + 1e-6 * RANDOM.normal(size=(8, 3)),
    "far from zero": 1e6 - np.abs(RANDOM.normal(size=(8, 3))),
    "of all sizes": RANDOM.normal(size=(8, 7)) * 10.0 ** np.arange(5, -30, -5),
    "single numbers": RANDOM.normal(size=(8, 1)),
    "two that differ": np.array([[1.0, 0], [1, 1e-30], [1, 0], [1, 0]]),
}


@pytest.fixture
def only_ordinary_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What k-means is given has differences whose squares it can hold; else it is not asked."""
    fit = KMeans.fit_predict

    def checked(kmeans: KMeans, vectors: Any) -> Any:
        spread = np.ptp(vectors.astype(np.float64), axis=0).max()
        assert spread == 0 or 1e-3 < spread < 1e9
        return fit(kmeans, vectors)

    monkeypatch.setattr(KMeans, "fit_predict", checked)


@pytest.mark.usefixtures("only_ordinary_numbers")
@pytest.mark.parametrize("vectors", ODD.values(), ids=ODD)
def test_files_with_tiny_or_equal_numbers_have_maps_groups_and_scores(vectors: Any) -> None:
    """Also at a layer beside which another one is large."""
    with np.errstate(under="ignore"):
        both = np.stack([vectors, np.ones(vectors.shape)], axis=1)
    labels = {"vectors": both[:, :1], "labels": [*"ab"] * (len(vectors) // 2)}
    for arrays in (labels, labels | {"vectors": both}):
        found = read(io.BytesIO(npz_file(**arrays)), None, 2_000).found
        points = shared_frame(found.vectors).points[:, 0]
        assert np.isfinite(points).all()
        assert map_ranks(points, 0)[0] == 0
        groups = group(found.vectors[:, 0])
        assert groups.count == 1 or groups.silhouette > 0.1
        senses = [one.sense for one in found.occurrences]
        assert np.isfinite(sense_scores(found.vectors, senses).auc).all()


@pytest.mark.parametrize("scale", SCALES)
def test_what_is_seen_of_tiny_numbers_is_what_is_seen_of_others(scale: float) -> None:
    vectors = VECTORS.astype(np.float64)
    found = read(
        io.BytesIO(npz_file(vectors=vectors * scale, labels=[*"ab"] * 20)), None, 2_000
    ).found.vectors
    for layer in (0, 4):
        groups, expected = group(found[:, layer]), group(VECTORS[:, layer])
        assert groups.labels.tolist() == expected.labels.tolist()
        assert groups.silhouette == pytest.approx(expected.silhouette, abs=1e-4)
        assert group(vectors[:, layer] * scale).labels.tolist() == expected.labels.tolist()
    ours, theirs = shared_frame(found), shared_frame(VECTORS)
    assert ours.explained == pytest.approx(theirs.explained, abs=1e-5)
    assert ours.points / ours.points.max() == pytest.approx(
        theirs.points / theirs.points.max(), abs=1e-4
    )
    ranks = map_ranks(theirs.points[:, 2], 5)
    assert map_ranks(theirs.points[:, 2] * np.float32(1e-30), 5).tolist() == ranks.tolist()


def test_ranks_on_a_map() -> None:
    """Points on a line; equally near ones share their rank."""
    points = np.float32([[0, 0], [3, 0], [-1, 0], [1, 0]])
    assert map_ranks(points, 0).tolist() == [0, 3, 1, 1]
