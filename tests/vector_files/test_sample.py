"""A sample of a corpus: which occurrences, their vectors, and what is said of them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.corpus.job import Carried
from bertviz_core.corpus.store import Occurrences
from bertviz_core.errors import UserInputError
from bertviz_core.vector_files.sample import Sample, sample
from tests.corpus.made import JOB, Row, write_manifest, write_part

YEARS = [1900] * 30 + [1950] * 5


@pytest.fixture
def corpus(tmp_path: Path) -> Occurrences:
    """35 occurrences of bank in two parts, and one of go between them."""
    banks = [
        Row("bank", [number, 1, 0, 0], year=year, sentence=f"By bank {number}.", start=3, end=7,
            offset=number)
        for number, year in enumerate(YEARS)
    ]  # fmt: skip
    write_manifest(tmp_path, JOB)
    write_part(tmp_path, JOB, 0, [*banks[:20], Row("go", [9, 9, 9, 9])])
    write_part(tmp_path, JOB, 1, banks[20:])
    return Occurrences.open(tmp_path)


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
    found = sample(corpus, "bank", progress=lambda done, total: heard.append((done, total)))
    check(found)
    assert heard == [(1, 2), (2, 2)]
    assert (len(found.rows), found.groups, found.names) == (35, None, None)
    opened = found.opened
    assert (opened.word, opened.total, opened.model, opened.layers) == ("bank", 35, "tiny", (0, 2))
    assert set(opened.columns) == {"source", "offset", "year", "author"}
    assert [one.word for one in opened.found.occurrences] == ["bank"] * 35


def test_some_at_random_and_some_of_each_year(corpus: Occurrences) -> None:
    plain = sample(corpus, "bank", most=10)
    check(plain)
    assert len(plain.rows) == 10
    spread = sample(corpus, "bank", "year", most=10)
    check(spread)
    assert spread.groups == (("1900", 30, 5), ("1950", 5, 5))
    assert spread.names == tuple(str(year) for year in spread.opened.columns["year"])
    assert np.array_equal(spread.rows, sample(corpus, "bank", "year", most=10).rows)


def test_labels_are_senses(tmp_path: Path) -> None:
    job = replace(JOB, carried=(Carried("sense", "string"),))
    write_manifest(tmp_path, job)
    rows = [Row("bank", [1, 2, 3, 4], sentence="A bank.", start=2, end=6)] * 2
    labelled = []
    for row, sense in zip(rows, ("river", None), strict=True):
        one = replace(row)
        object.__setattr__(one, "sense", sense)
        labelled.append(one)
    write_part(tmp_path, job, 0, labelled)
    found = sample(Occurrences.open(tmp_path), "bank").opened
    assert [one.sense for one in found.found.occurrences] == ["river", None]
    assert "sense" not in found.columns


def test_a_word_that_never_occurs_and_what_is_not_there(corpus: Occurrences) -> None:
    assert sample(corpus, "never", "year").opened.total == 0
    with pytest.raises(UserInputError):
        sample(corpus, "other")
    with pytest.raises(UserInputError):
        sample(corpus, "bank", "no such column")
