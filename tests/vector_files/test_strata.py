"""Groups by the value of a column, and a sample of all of them."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from bertviz_core.vector_files.strata import drawn, strata


@pytest.mark.parametrize(
    ("column", "names", "sizes"),
    [
        (pa.array([1910, 1900, None, 1910]), ("1900", "1910", "empty"), [1, 2, 1]),
        (pa.array(["b", "a", "b"]), ("a", "b"), [1, 2]),
        (pa.array([True, None, False, True]), ("no", "yes", "empty"), [1, 2, 1]),
        (pa.array([0.5, np.nan, np.inf, 2.0]), ("0.5", "2", "empty"), [1, 1, 2]),
        (pa.array([None, None], pa.string()), ("empty",), [2]),
        (pa.array([None]), ("empty",), [1]),
        (pa.array([], pa.string()), (), []),
        (pa.chunked_array([["b"], ["a", "b"]]), ("a", "b"), [1, 2]),
        (
            pa.array(range(1900, 1960)),
            ("1900–1909", "1910–1919", "1920–1929", "1930–1939", "1940–1949", "1950–1959"),
            [10] * 6,
        ),
        # Most in one year: fewer ranges, none of them empty.
        (pa.array([1900] * 80 + list(range(1901, 1921))), ("1900–1903", "1904–1920"), [83, 17]),
        (pa.array([*range(1, 13)] + [90] * 90), ("1–12", "90"), [12, 90]),
    ],
)  # fmt: skip
def test_values_and_ranges(column: Any, names: tuple[str, ...], sizes: list[int]) -> None:
    found = strata(column)
    assert found.names == names
    assert found.sizes.tolist() == sizes


def test_each_occurrence_is_in_its_own_group() -> None:
    years = np.random.default_rng(0).integers(1900, 2000, 500)
    found = strata(pa.array(years))
    for year, number in zip(years.tolist(), found.of.tolist(), strict=True):
        low, high = map(int, found.names[number].split("–"))
        assert low <= year <= high


def test_texts_of_many_values_share_a_group() -> None:
    authors = [f"author {number}" for number in range(20) for _ in range(number + 1)]
    found = strata(pa.array([*authors, None]))
    assert found.names == (*(f"author {n}" for n in range(19, 8, -1)), "all others", "empty")
    assert found.sizes.tolist() == [*range(20, 9, -1), sum(range(1, 10)), 1]


def test_as_many_of_each_as_can_be() -> None:
    of = np.array([0] * 50 + [1] * 3 + [2] * 40)
    rows = drawn(of, 20)
    assert np.bincount(of[rows]).tolist() == [9, 3, 8]
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert np.array_equal(rows, drawn(of, 20))
    assert drawn(of, 93).tolist() == list(range(93))
    assert len(drawn(of, 92)) == 92
    assert np.bincount(of[drawn(of, 2)], minlength=3).sum() == 2


def test_a_plain_sample_is_spread_over_all() -> None:
    rows = drawn(np.zeros(10_000, np.int64), 500)
    assert len(rows) == 500
    assert abs(rows.mean() - 5_000) < 400  # three standard errors
