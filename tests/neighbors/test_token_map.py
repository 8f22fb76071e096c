"""The map of the token table: where points lie, what a map keeps."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA

from bertviz_core.arrays import unit_rows
from bertviz_core.bert import Bert
from bertviz_core.neighbors import layout as layouts
from bertviz_core.neighbors import pca_map
from bertviz_core.neighbors.layout import known_layout, main, read_layout, save_layout, table_key
from bertviz_core.neighbors.token_map import (
    kept_by_chance,
    nearest_on_map,
    neighbors_kept,
    sampled,
)

SQUARE = np.float32([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.4]])


def test_pca_is_that_of_the_library(tiny: Bert) -> None:
    table = tiny.tables.word_embeddings
    library = PCA(2, svd_solver="full").fit(table)
    found = pca_map(tiny)
    points = library.transform(table)
    signs = np.sign((points * found.points).sum(axis=0))
    assert found.points * signs == pytest.approx(points, abs=1e-5)
    assert found.explained == pytest.approx(library.explained_variance_ratio_, abs=1e-5)


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


def test_the_shipped_layout(minilm: Bert) -> None:
    found = known_layout(minilm)
    assert found is not None
    assert found.points.shape == (30_522, 2)
    assert np.abs(found.points).max() == 1
    assert found.kept == pytest.approx(neighbors_kept(minilm, found.points))
    assert found.kept > 10 * pca_map(minilm).kept


def test_a_layout_is_made_kept_and_read(
    tiny: Bert, tiny_folder: Path, hub_cache: Path, monkeypatch: pytest.MonkeyPatch, capfd
) -> None:
    monkeypatch.setattr(layouts, "ITERATIONS", 250)
    monkeypatch.setattr(layouts.os, "nice", lambda by: 0)
    path, key = hub_cache.with_name("map.npz"), table_key(tiny)
    main(str(tiny_folder), str(path))
    assert "[t-SNE] Iteration 250:" in capfd.readouterr().out  # the page reads how far it is
    found = read_layout(path, key)
    assert found is not None
    assert found.points.min(axis=0).tolist() == (-found.points.max(axis=0)).tolist()
    again = layouts.lay_out(tiny)
    assert np.array_equal(again.points, found.points)
    assert again.kept == found.kept

    assert known_layout(tiny) is None
    assert save_layout(tiny, found)
    assert np.array_equal(known_layout(tiny).points, found.points)
    path.write_bytes(path.read_bytes()[:300])
    assert read_layout(path, key) is None
