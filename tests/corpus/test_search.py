from pathlib import Path

import numpy as np
import pytest

from bertviz_core.arrays import Array
from bertviz_core.corpus.search import nearest
from bertviz_core.corpus.store import Occurrences
from bertviz_core.errors import UserInputError
from tests.corpus.made import Row, write_parts

# Cosines with (1, 0, 0, 0): 1, 0.6, 0.8, 0, -1, 0.6 and, without a direction, 0.
ROWS = [
    Row("bank", [2, 0, 0, 0]),
    Row("bank", [3, 4, 0, 0], year=1960),
    Row("go", [4, 0, 3, 0]),
    Row("go", [0, 0, 0, 5], year=None),
    Row("bank", [-1, 0, 0, 0]),
    Row("bank", [3, 0, 4, 0]),
    Row("bank", [0, 0, 0, 0]),
]
QUERY = np.array([10, 0, 0, 0], np.float32)


@pytest.fixture
def occurrences(tmp_path: Path) -> Occurrences:
    return Occurrences.open(write_parts(tmp_path, ROWS[:4], ROWS[4:], group=3))


@pytest.mark.parametrize("layer", [0, 2])
def test_cosines_by_hand(occurrences: Occurrences, layer: int) -> None:
    found = nearest(occurrences, QUERY, layer=layer, k=1_000)
    assert found.rows.tolist() == [0, 2, 1, 5, 3, 6, 4]  # equal ones in the order of their rows
    np.testing.assert_allclose(found.cosines, [1, 0.8, 0.6, 0.6, 0, 0, -1], atol=1e-7)
    assert nearest(occurrences, QUERY, layer=layer, k=4).rows.tolist() == [0, 2, 1, 5]
    assert found.among == 7
    assert found.rows.dtype == np.int64
    assert found.cosines.dtype == np.float32


def test_among_some(occurrences: Occurrences) -> None:
    later = occurrences.condition("year>1950")
    assert nearest(occurrences, QUERY, layer=0, word="go").rows.tolist() == [2, 3]
    assert nearest(occurrences, QUERY, layer=0, where=later).rows.tolist() == [1]
    nothing = nearest(occurrences, QUERY, layer=0, word="go", where=later)
    assert (len(nothing.rows), len(nothing.cosines), nothing.among) == (0, 0, 0)


@pytest.mark.parametrize("vector", [np.zeros(4, np.float32), np.ones(3, np.float32)])
def test_what_cannot_be_searched(occurrences: Occurrences, vector: Array) -> None:
    with pytest.raises(UserInputError):
        nearest(occurrences, vector, layer=0)


def test_groups_and_parts_make_no_difference(tmp_path: Path) -> None:
    """Against one product of all rows; many of them equal, so that ties cross groups."""
    chance = np.random.default_rng(3)
    vectors = chance.integers(-2, 3, (150, 4)).astype(np.float32)
    rows = [Row("go" if i % 3 else "bank", vector.tolist()) for i, vector in enumerate(vectors)]
    occurrences = Occurrences.open(write_parts(tmp_path, rows[:70], rows[70:], group=7))
    query = chance.normal(size=4).astype(np.float32)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9) * np.linalg.norm(query)
    cosines = vectors @ query / lengths
    for word, among in ((None, np.arange(150)), ("bank", np.arange(0, 150, 3))):
        best = among[np.argsort(-cosines[among].round(6), kind="stable")][:20]
        found = nearest(occurrences, query, layer=0, k=20, word=word)
        np.testing.assert_allclose(found.cosines, cosines[best], atol=1e-6)
        assert found.cosines[:15].round(5).tolist() == sorted(found.cosines[:15].round(5))[::-1]
        assert set(found.rows[found.cosines > found.cosines[-1] + 1e-6]) == set(
            best[cosines[best] > cosines[best][-1] + 1e-6]
        )
