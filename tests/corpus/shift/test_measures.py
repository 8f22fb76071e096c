import numpy as np
import pytest
from scipy.spatial.distance import cdist

from bertviz_core.corpus.shift.measures import changed, shift
from bertviz_core.corpus.shift.resamples import Resamples, resample

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
    measure = found.average
    assert measure.p[0] > 0.05
    assert measure.p[1] == 0.001
    assert measure.best_p <= 0.002
    assert measure.chance_low[0] <= measure.values[0] <= measure.chance_high[0]
    assert measure.values[1] > measure.chance_high[1]
    assert (measure.low < measure.values).all()
    assert (measure.values < measure.high).all()


def test_the_interval_covers_the_value_of_all_sentences() -> None:
    """Of 60 samples from one population, about 57 intervals hold its distance."""
    random = np.random.default_rng(5)
    population = [(random.normal(size=(3000, 6)) + mean).astype(np.float32)
                  for mean in (np.ones(6), np.linspace(0, 2, 6))]  # fmt: skip
    true = cdist(*population, "cosine").mean()
    resamples = resample(range(40), range(40), count=300)
    held = 0
    for _ in range(60):
        first, second = (each[random.choice(3000, 40, replace=False)] for each in population)
        measure = shift([(first, second)], resamples).average
        held += measure.low[0] <= true <= measure.high[0]
    assert 51 <= held <= 60


def test_repeated_sentences_tell_no_more() -> None:
    """The same 10 sentences, five times each: the interval stays, and so does p."""
    first, second = (each[:10] for each in random_groups(apart=0.5))
    once = shift([(first, second)], resample(range(10), range(10)))
    often = [np.tile(each, (5, 1)) for each in (first, second)]
    numbers = [*range(10)] * 5
    repeated = shift([(often[0], often[1])], resample(numbers, numbers))
    assert repeated.average.values == pytest.approx(once.average.values)
    assert repeated.average.low == pytest.approx(once.average.low)
    assert repeated.average.p == once.average.p
    as_if_new = shift([(often[0], often[1])], resample(range(50), range(50)))
    narrow = as_if_new.average.high - as_if_new.average.low
    assert narrow < 0.7 * (once.average.high - once.average.low)


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


def test_words_can_be_compared_by_the_relative_distance() -> None:
    """Groups from one population have 1, however many occurrences and however unlike."""
    random = np.random.default_rng(1)
    for spread in (0.3, 2):
        for count in (8, 200):
            found = []
            for _ in range(60):
                first, second = random.normal(size=(2, count, 40)).astype(np.float32) * spread + 1
                resamples = resample(range(count), range(count), count=1)
                found.append(relative_distance(first, second, resamples))
            assert np.mean(found) == pytest.approx(1, abs=0.02)


def test_p_is_even_where_groups_are_made_at_random() -> None:
    resamples = resample(range(15), range(25), count=199)
    p = np.concatenate([shift([random_groups(seed)], resamples).average.p for seed in range(60)])
    assert 0.35 < p.mean() < 0.65
    assert (p <= 0.1).mean() < 0.25


def test_a_sentence_comes_once() -> None:
    vectors = np.random.default_rng(2).normal(size=(8, 3)).astype(np.float32)
    found = changed(vectors[:4], vectors[4:], resample(["a", "a", "b", "c"], range(4)))
    assert len(found.first) == 3
    gaps = found.own - found.other
    best = int(gaps[:2].argmax())
    assert best in found.first
    assert 1 - best not in found.first
    assert (np.diff(gaps[found.first]) <= 0).all()
