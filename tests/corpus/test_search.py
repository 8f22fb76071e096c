from pathlib import Path

import numpy as np
import pytest

from bertviz_core.corpus.store import Occurrences, nearest
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
    go = occurrences.condition("word=go")
    assert nearest(occurrences, QUERY, layer=0, where=go).rows.tolist() == [2, 3]
    assert nearest(occurrences, QUERY, layer=0, where=later).rows.tolist() == [1]
    nothing = nearest(occurrences, QUERY, layer=0, where=[go, later])
    assert (len(nothing.rows), len(nothing.cosines), nothing.among) == (0, 0, 0)


@pytest.mark.parametrize("vector", [[0] * 4, [1] * 3, [[1] * 4], [1, np.nan, 1, 1], [np.inf] * 4])
def test_what_cannot_be_searched(occurrences: Occurrences, vector: list[float]) -> None:
    with pytest.raises(UserInputError, match=r"and \d finite numbers; expected is \(4,\)"):
        nearest(occurrences, np.array(vector, np.float32), layer=0)
    with pytest.raises(TypeError, match=r"array of shape \(4,\); got list"):
        nearest(occurrences, vector, layer=0)  # type: ignore[arg-type]
