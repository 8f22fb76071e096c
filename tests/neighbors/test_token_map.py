"""The map of the token table: where points lie, what a map keeps."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from bertviz_core.arrays import unit_rows
from bertviz_core.bert import Bert
from bertviz_core.neighbors import pca_map
from bertviz_core.neighbors.token_map import (
    kept_by_chance,
    nearest_on_map,
    neighbors_kept,
    sampled,
    shipped_map,
)

SQUARE = np.float32([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.4]])


def test_pca_is_that_of_the_library(tiny: Bert) -> None:
    table = tiny.tables.word_embeddings
    library = PCA(2, svd_solver="full").fit(table)
    ours = pca_map(tiny)
    points = library.transform(table)
    signs = np.sign((points * ours.points).sum(axis=0))
    assert ours.points * signs == pytest.approx(points, abs=1e-5)
    assert ours.explained == pytest.approx(library.explained_variance_ratio_, abs=1e-5)


def test_nearest_points() -> None:
    assert nearest_on_map(SQUARE, 0, 2).tolist() == [4, 1]
    assert nearest_on_map(SQUARE, 4, 99).size == 4


def test_what_a_map_keeps_one_by_one(tiny: Bert, minilm: Bert) -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(tiny.vocab_size, 2)).astype(np.float32)
    units = unit_rows(tiny.tables.word_embeddings)
    near = (tiny.vocab_size - 1) // 10
    kept = []
    for row in sampled(tiny):
        cosines = units @ units[row]
        cosines[row] = -np.inf
        kept += np.isin(np.argsort(-cosines)[:near], nearest_on_map(points, row, near)).tolist()
    assert neighbors_kept(tiny, points) == pytest.approx(np.mean(kept))
    assert (sampled(minilm).size, sampled(tiny).size) == (
        500,
        int(tiny.vocabulary.is_ordinary.sum()),
    )
    assert kept_by_chance(30_522) == pytest.approx(100 / 30_521)


def test_the_map_that_ships(minilm: Bert, tiny: Bert) -> None:
    shipped = shipped_map(minilm)
    assert shipped is not None
    assert shipped.points.shape == (30_522, 2)
    assert np.abs(shipped.points).max() == 1
    assert shipped.kept == pytest.approx(neighbors_kept(minilm, shipped.points))
    assert shipped.kept > 10 * pca_map(minilm).kept
    assert shipped_map(tiny) is None
