import numpy as np
import pytest

from bertviz_core.arrays import Exact
from bertviz_core.corpus.shift.measures import shift
from bertviz_core.corpus.shift.resamples import Scores, measured, resample
from bertviz_core.errors import UserInputError


def difference(first: Exact, second: Exact) -> Exact:
    return np.abs(first[..., 0] - second[..., 0])


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


@pytest.mark.parametrize("second", [[[1, 2]] * 4, [[1, 2, 3]] * 5, [[1, np.nan]] * 5])
def test_vectors_of_others_are_refused(second: list[list[float]]) -> None:
    groups = np.ones((3, 2), np.float32), np.array(second, np.float32)
    with pytest.raises(UserInputError, match=r"^Got .*\(3, 2\).* expected are 3 and 5, .*\.$"):
        shift([groups], resample("abc", "defgh", count=1))


def test_few_sentences_are_refused() -> None:
    with pytest.raises(UserInputError, match="2 and 3"):
        resample(["a", "a", "b"], ["c", "d", "e"])


def test_p_is_the_share_of_all_divisions() -> None:
    """Of 20 ways to choose 3 of 6, two set 1, 2, 3 apart from 11, 12, 13."""
    features = np.array([[1], [2], [3], [11], [12], [13]], np.float64)
    scores = resample(range(3), range(3), count=5_000).compare(features, difference)
    assert scores.permuted[0] == scores.drawn[0] == 10
    measure = measured([scores])
    assert measure.values.tolist() == [10]
    assert measure.p[0] == pytest.approx(2 / 20, abs=0.015)
    assert measure.best_p == measure.p[0]
    # With one number of each group exchanged: 14/3 (2 of 20), 4 (4), 10/3 (6), 8/3 (4), 2 (2).
    assert (measure.chance_low[0], measure.chance_high[0]) == (2, 10)
    # A mean of 3 numbers of 1 to 3 has a standard deviation of sqrt(2/9), the difference 2/3.
    assert measure.high[0] - measure.low[0] == pytest.approx(2 * 1.96 * 2 / 3, rel=0.1)
    assert (measure.low[0] + measure.high[0]) / 2 == pytest.approx(10, abs=0.1)


def test_the_lowest_p_of_layers_is_held_against_the_lowest_of_each_division() -> None:
    # The real division is the highest of 5 at layer 1; so is another one at layer 0.
    first = np.array([3.0, 9, 1, 2, 0])
    second = np.array([8.0, 1, 2, 3, 4])
    ones = np.ones(5)
    measure = measured([Scores(first, ones), Scores(second, ones)])
    assert measure.p.tolist() == [2 / 5, 1 / 5]
    assert measure.best_p == 2 / 5
