from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from bertviz_core.corpus.shift import (
    Resamples,
    changed,
    measured,
    resample,
    sentences_of,
    shift,
    two_groups,
    vectors_of,
)
from bertviz_core.corpus.store import Occurrences
from bertviz_core.errors import UserInputError
from tests.corpus.made import Row, write_parts

EAST, NORTH, WEST = [2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]


def random_groups(seed: int = 0, apart: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    first = random.normal(size=(15, 40)) + 1
    second = random.normal(size=(25, 40)) + 1
    second[:, :10] += apart
    return first.astype(np.float32), second.astype(np.float32)


def relative_distance(first: np.ndarray, second: np.ndarray, resamples: Resamples) -> float:
    return float(shift([(first, second)], resamples).relative[0])


def test_relative_distance_by_hand() -> None:
    # Within the first group distances of 0, 1, 1, within the second of 1, 1, 0: 2/3 on average.
    first, second = np.float32([EAST, EAST, NORTH]), np.float32([NORTH, WEST, NORTH])
    between = (2 * (1 + 2 + 1) + (0 + 1 + 0)) / 9
    resamples = resample(range(3), range(3), count=1)
    assert relative_distance(first, second, resamples) == pytest.approx(between / (2 / 3))
    same = np.float32([EAST] * 3)
    assert relative_distance(same, same, resamples) == 1
    assert relative_distance(same, np.float32([NORTH] * 3), resamples) == np.inf
    # A sentence twice is no further pair within its group.
    twice = np.concatenate([first, first])
    again = resample([0, 1, 2, 0, 1, 2], range(3), count=1)
    assert relative_distance(twice, second, again) == pytest.approx(between / (2 / 3))


def test_layers_that_differ_stand_out() -> None:
    alike, apart = random_groups(), random_groups(apart=2.0)
    resamples = resample(range(15), range(25))
    found = shift([alike, apart], resamples)
    assert found.relative[0] < 1.1 < found.relative[1]
    assert found.p[0] > 0.05
    assert found.p[1] == 0.001
    assert found.best_p <= 0.002
    assert found.chance_low[0] <= found.average[0] <= found.chance_high[0]
    assert found.average[1] > found.chance_high[1]
    assert (found.low < found.average).all()
    assert (found.average < found.high).all()


def test_cosines_with_both_groups() -> None:
    random = np.random.default_rng(1)
    first, second = (random.normal(size=(n, 5)).astype(np.float32) for n in (4, 5))
    # The first two occurrences stand in one sentence: they say nothing about each other.
    sentences = (["a", "a", "b", "c"], ["d", "e", "f", "g", "h"])
    found = changed(first, second, resample(*sentences))
    similar = 1 - cdist(np.vstack([first, second]), np.vstack([first, second]), "cosine")
    assert found.own[0] == pytest.approx(similar[0, [2, 3]].mean())
    assert found.own[2] == pytest.approx(similar[2, [0, 1, 3]].mean())
    assert found.own[8] == pytest.approx(similar[8, 4:8].mean())
    assert found.other[0] == pytest.approx(similar[0, 4:].mean())
    assert found.other[8] == pytest.approx(similar[8, :4].mean())


def test_a_sentence_comes_once() -> None:
    vectors = np.random.default_rng(2).normal(size=(8, 3)).astype(np.float32)
    found = changed(vectors[:4], vectors[4:], resample(["a", "a", "b", "c"], range(4)))
    assert len(found.first) == 3
    gaps = found.own - found.other
    best = int(gaps[:2].argmax())
    assert best in found.first
    assert 1 - best not in found.first
    assert (np.diff(gaps[found.first]) <= 0).all()


def test_row_0_is_how_it_is_and_sentences_stay_together() -> None:
    resamples = resample(["a", "b", "b", "c"], ["b", "d", "e", "e", "f"], count=200)
    assert resamples.first == 4
    assert resamples.sentences.tolist() == [0, 1, 1, 2, 3, 4, 5, 5, 6]  # "b" in each by itself
    assert resamples.permuted[0].tolist() == [True] * 4 + [False] * 5
    assert resamples.drawn[0].tolist() == [1] * 9
    for rows in (resamples.permuted, resamples.drawn):
        assert rows.shape == (201, 9)
        assert (rows[:, 1] == rows[:, 2]).all()
        assert (rows[:, 6] == rows[:, 7]).all()
        assert (rows[:, 0] != rows[:, 1]).any()
        assert not rows.flags.writeable
    one_each = [0, 1, 3, 4, 5, 6, 8]
    assert (resamples.permuted[:, one_each].sum(axis=1) == 3).all()
    # As many sentences as each group has, with replacement.
    assert (resamples.drawn[:, one_each[:3]].sum(axis=1) == 3).all()
    assert (resamples.drawn[:, one_each[3:]].sum(axis=1) == 4).all()
    assert resamples.drawn.max() >= 2


def test_few_sentences_are_refused() -> None:
    with pytest.raises(UserInputError, match="2 and 3"):
        resample(["a", "a", "b"], ["c", "d", "e"])


def test_p_is_the_share_of_all_divisions() -> None:
    """Of 20 ways to choose 3 of 6, two set 1, 2, 3 apart from 11, 12, 13."""
    values, resamples = np.array([1, 2, 3, 11, 12, 13]), resample(range(3), range(3), count=5_000)
    permuted = np.abs(resamples.permuted @ values - ~resamples.permuted @ values) / 3
    drawn = np.abs(resamples.drawn[:, :3] @ values[:3] - resamples.drawn[:, 3:] @ values[3:]) / 3
    found = measured([0], permuted[:, None].round(9), drawn[:, None])
    assert found.average.tolist() == [10]
    assert found.p[0] == pytest.approx(2 / 20, abs=0.015)
    assert found.best_p == found.p[0]
    # With one number of each group exchanged: 14/3 (2 of 20), 4 (4), 10/3 (6), 8/3 (4), 2 (2).
    assert (found.chance_low[0], found.chance_high[0]) == (2, 10)
    # A mean of 3 numbers of 1 to 3 has a standard deviation of sqrt(2/9), the difference 2/3.
    assert found.high[0] - found.low[0] == pytest.approx(2 * 1.96 * 2 / 3, rel=0.1)
    assert (found.low[0] + found.high[0]) / 2 == pytest.approx(10, abs=0.1)


def test_the_lowest_p_of_layers_is_held_against_the_lowest_of_each_division() -> None:
    # The real division is the highest of 5 at layer 1; so is another one at layer 0.
    permuted = np.array([[3.0, 9, 1, 2, 0], [8.0, 1, 2, 3, 4]]).T
    found = measured([0, 0], permuted, np.ones((5, 2)))
    assert found.p.tolist() == [2 / 5, 1 / 5]
    assert found.best_p == 2 / 5


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
