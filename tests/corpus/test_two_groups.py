from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.corpus.shift import sentences_of, two_groups, vectors_of
from bertviz_core.corpus.store import Occurrences
from bertviz_core.errors import UserInputError
from tests.corpus.made import Row, write_parts

OLD = [Row("bank", [n, 0, 0, 1], year=1900 + n, sentence=f"Old bank {n}.") for n in range(4)]
NEW = [
    Row("go", [9, 9, 9, 9], year=1900),
    *(Row("bank", [n, 1, 0, 0], "new.txt", 1950 + n) for n in range(3)),
    Row("bank", [5, 5, 5, 5], "new.txt", None, None),
]


@pytest.fixture
def occurrences(tmp_path: Path) -> Occurrences:
    return Occurrences.open(write_parts(tmp_path, OLD, NEW))


def test_one_condition_is_held_against_all_other_values(occurrences: Occurrences) -> None:
    found = two_groups(occurrences, "bank", ["year<1950"])
    assert found.names == ("year<1950", "year>=1950")
    assert [rows.tolist() for rows in found.rows] == [[0, 1, 2, 3], [5, 6, 7]]
    assert (*found.counts, found.left_out) == (4, 3, 1)


def test_large_groups_are_drawn_from(tmp_path: Path) -> None:
    rows = [replace(OLD[0], year=year) for year in [1900] * 30 + [2000] * 5]
    occurrences = Occurrences.open(write_parts(tmp_path, rows))
    found = two_groups(occurrences, "bank", ["year<1950"], most=10)
    first, second = found.rows
    assert (found.counts[0], len(first)) == (30, 10)
    assert (np.diff(first) > 0).all()
    assert set(first.tolist()) <= set(range(30))
    assert second.tolist() == [30, 31, 32, 33, 34]


def test_sentences_and_vectors_of_the_groups(occurrences: Occurrences) -> None:
    found = two_groups(occurrences, "bank", ["year=1902", "year>1950"])
    first, second = sentences_of(occurrences, found)
    assert first == ["Old bank 2."]
    assert second == ["We sat on the bank."] * 2
    first_vectors, second_vectors = vectors_of(occurrences, found, 2)
    assert first_vectors.tolist() == [[20, 0, 0, 10]]
    assert second_vectors.tolist() == [[10, 10, 0, 0], [20, 10, 0, 0]]
    assert second_vectors.dtype == np.float32


@pytest.mark.parametrize(
    "by",
    [
        ["year<1800"], ["year<2000"], ["year<1902", "year<1950"], ["year"], ["century<19"],
        ["year<1"] * 3, [],
    ],
)  # fmt: skip
def test_what_is_no_division_is_refused(occurrences: Occurrences, by: list[str]) -> None:
    with pytest.raises(UserInputError):
        two_groups(occurrences, "bank", by)
