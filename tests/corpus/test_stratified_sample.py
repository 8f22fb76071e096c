"""A sample of a corpus: which occurrences, their vectors, and what is said of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from bertviz_core.corpus.job import Carried
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.stratified_sample import (
    Sample,
    drawn_evenly,
    stratified_sample,
    value_groups,
)
from bertviz_core.errors import UserInputError
from tests.corpus.made import JOB, Row, write_parts

YEARS = [1900] * 30 + [1950] * 5


@pytest.fixture
def corpus(tmp_path: Path) -> Occurrences:
    """35 occurrences of bank in two parts, and one of go between them."""
    banks = [
        Row("bank", [number, 1, 0, 0], year=year, sentence=f"By bank {number}.", start=3, end=7,
            offset=number)
        for number, year in enumerate(YEARS)
    ]  # fmt: skip
    parts = [*banks[:20], Row("go", [9, 9, 9, 9])], banks[20:]
    return Occurrences.open(write_parts(tmp_path, *parts))


def check(found: Sample) -> None:
    """Sentences, vectors and columns of each occurrence are of one row."""
    numbers = [int(one.sentence[8:-1]) for one in found.opened.found.occurrences]
    assert [row - (row > 20) for row in found.rows.tolist()] == numbers
    vectors = found.opened.found.vectors
    assert vectors.shape == (len(numbers), 2, 4)
    assert vectors[:, 0, 0].tolist() == numbers
    assert vectors[:, 1, 0].tolist() == [10 * number for number in numbers]
    assert list(found.opened.columns["year"]) == [YEARS[number] for number in numbers]


def test_all_of_them(corpus: Occurrences) -> None:
    heard: list[tuple[int, int]] = []
    found = stratified_sample(
        corpus, "bank", progress=lambda done, total: heard.append((done, total))
    )
    check(found)
    assert heard == [(1, 2), (2, 2)]
    assert (len(found.rows), found.groups, found.names) == (35, None, None)
    opened = found.opened
    assert (opened.word, opened.total, opened.model, opened.layers) == ("bank", 35, "tiny", (0, 2))
    assert set(opened.columns) == {"source", "offset", "year", "author"}
    assert [one.word for one in opened.found.occurrences] == ["bank"] * 35


def test_some_at_random_and_some_of_each_year(corpus: Occurrences) -> None:
    plain = stratified_sample(corpus, "bank", most=10)
    check(plain)
    assert len(plain.rows) == 10
    spread = stratified_sample(corpus, "bank", "year", most=10)
    check(spread)
    assert spread.groups == (("1900", 30, 5), ("1950", 5, 5))
    assert spread.names == tuple(str(year) for year in spread.opened.columns["year"])
    assert np.array_equal(spread.rows, stratified_sample(corpus, "bank", "year", most=10).rows)


def test_labels_are_senses(tmp_path: Path) -> None:
    job = replace(JOB, carried=(Carried("sense", "string"),))
    row = Row("bank", [1, 2, 3, 4], sentence="A bank.", start=2, end=6)
    write_parts(tmp_path, [replace(row, sense="river"), row], job=job)
    found = stratified_sample(Occurrences.open(tmp_path), "bank").opened
    assert [one.sense for one in found.found.occurrences] == ["river", None]
    assert "sense" not in found.columns


def test_a_word_that_never_occurs_and_what_is_not_there(corpus: Occurrences) -> None:
    assert stratified_sample(corpus, "never", "year").opened.total == 0
    with pytest.raises(UserInputError):
        stratified_sample(corpus, "other")
    with pytest.raises(UserInputError):
        stratified_sample(corpus, "bank", "no such column")


@pytest.mark.parametrize(
    ("column", "names", "sizes"),
    [
        (pa.array([1910, 1900, None, 1910]), ("1900", "1910", "empty"), [1, 2, 1]),
        (pa.array(["b", "a", "b"]), ("a", "b"), [1, 2]),
        (pa.array([True, None, False, True]), ("no", "yes", "empty"), [1, 2, 1]),
        (pa.array([0.5, np.nan, np.inf, 2.0]), ("0.5", "2", "empty"), [1, 1, 2]),
        (pa.array([None]), ("empty",), [1]),
        (pa.array(["empty", None, "empty"]), ("empty", "(empty)"), [2, 1]),
        (pa.array(["(empty)", "empty", None]), ("(empty)", "empty", "((empty))"), [1, 1, 1]),
        (pa.chunked_array([["b"], ["a", "b"]]), ("a", "b"), [1, 2]),
        (
            pa.array(range(1900, 1960)),
            ("1900–1909", "1910–1919", "1920–1929", "1930–1939", "1940–1949", "1950–1959"),
            [10] * 6,
        ),
        # Most in one year: fewer ranges, none of them empty.
        (pa.array([1900] * 80 + list(range(1901, 1921))), ("1900–1903", "1904–1920"), [83, 17]),
    ],
)  # fmt: skip
def test_values_and_ranges(column: Any, names: tuple[str, ...], sizes: list[int]) -> None:
    found = value_groups(column)
    assert found.names == names
    assert np.bincount(found.of).tolist() == sizes


def test_texts_of_many_values_share_a_group() -> None:
    authors = [f"author {number}" for number in range(20) for _ in range(number + 1)]
    found = value_groups(pa.array([*authors, None]))
    assert found.names == (*(f"author {n}" for n in range(19, 8, -1)), "all others", "empty")
    assert np.bincount(found.of).tolist() == [*range(20, 9, -1), sum(range(1, 10)), 1]


def test_as_many_of_each_as_can_be() -> None:
    of = np.array([0] * 50 + [1] * 3 + [2] * 40)
    rows = drawn_evenly(of, 20)
    assert np.bincount(of[rows]).tolist() == [9, 3, 8]
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert np.array_equal(rows, drawn_evenly(of, 20))
    assert drawn_evenly(of, 93).tolist() == list(range(93))
    assert len(drawn_evenly(of, 92)) == 92
    assert np.bincount(of[drawn_evenly(of, 2)], minlength=3).sum() == 2
