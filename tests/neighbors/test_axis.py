"""Words on an axis: places, what chance gives, and numbers read off rows, beside scikit-learn."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, cross_val_predict

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors.axis import (
    axis_between,
    by_chance,
    mean_rows,
    numbers_read,
    read_words,
)
from bertviz_core.views.nearest_neighbors.presets import ANIMALS

YEARS = np.arange(1800, 2020)


def test_words_of_a_list(minilm: Bert) -> None:
    ids = minilm.vocabulary.ids
    found = read_words(minilm, "dog, cat;\nDog  dog awesomesauce ##ing ##zzq 🐍🐍 ,x", 7)
    pieces = tuple(ids[piece] for piece in ("awesome", "##sau", "##ce"))
    single = {word: (ids[word.lower()],) for word in ("dog", "cat", "Dog", "##ing")}
    assert found.token_ids == single | {"awesomesauce": pieces}
    assert (found.unknown, found.beyond) == (["##zzq", "🐍🐍"], ["x"])
    assert read_words(minilm, " \n,").token_ids == {}
    table = np.array([[0.0, 2], [4, 0], [1, 1]])
    assert mean_rows(table, [(0, 1), (2,), (1,)]).tolist() == [[2, 1], [1, 1], [4, 0]]


def test_a_place_is_that_of_semantic_projection(minilm: Bert) -> None:
    """Grand et al. (2022): the dot product with the mean difference of all pairs of poles."""
    table, ids = minilm.tables.word_embeddings.astype(np.float64), minilm.vocabulary.ids
    low, high = (["small", "tiny"], ["large", "big", "huge"])
    axis = axis_between(minilm, "small tiny", "large big huge")
    pairs = [table[ids[b]] - table[ids[a]] for a in low for b in high]
    unit = np.mean(pairs, axis=0) / np.linalg.norm(np.mean(pairs, axis=0))
    rows = table[[ids[word] for word in ANIMALS.split()]]
    places = axis.places(rows)
    assert np.corrcoef(places, rows @ unit)[0, 1] == pytest.approx(1)
    ends = [table[[ids[word] for word in pole]].mean(axis=0) for pole in (low, high)]
    assert axis.places(np.stack(ends)).tolist() == pytest.approx([-1, 1])


@pytest.mark.parametrize(
    ("low", "high", "problem"),
    [
        ("", "big", "first pole has no word, since it is empty"),
        ("small", "🐍🐍 ##zzq", "second pole has no word, since BERT has no piece"),
        ("small", "small", "same"),
        ("big small", "small, big", "same"),
    ],
)
def test_poles_without_a_direction(minilm: Bert, low: str, high: str, problem: str) -> None:
    with pytest.raises(UserInputError, match=problem):
        axis_between(minilm, low, high)


def test_the_size_of_animals_beside_chance(minilm: Bert) -> None:
    words = read_words(minilm, ANIMALS)
    rows = [*words.token_ids.values()]
    axis = axis_between(minilm, "small tiny little", "large big huge")
    vectors = mean_rows(minilm.tables.word_embeddings, rows)
    found = by_chance(minilm, rows, axis, ordered=True)
    places = axis.places(vectors)
    assert found.own == pytest.approx(spearmanr(places, range(20)).statistic)
    assert found.own == pytest.approx(0.597, abs=5e-4)
    spread = by_chance(minilm, rows, axis, ordered=False)
    on_axis = PCA(1).fit(np.outer(places, axis.direction)).explained_variance_[0]
    assert spread.own == pytest.approx(on_axis * 19 / 20 / vectors.var(axis=0).sum(), rel=1e-5)
    # Spearman's correlation of 20 words in random order has the standard deviation 1 / sqrt(19).
    assert found.weights == pytest.approx((-1.96 / 19**0.5, 1.96 / 19**0.5), abs=0.1)
    assert found.poles[0] < -0.4 < 0.4 < found.poles[1] < found.own
    assert spread.weights[0] < 1 / 384 < spread.weights[1], "all directions are alike"


def test_years_in_order_and_read(minilm: Bert) -> None:
    """The figures of issue 44, by NumPy and scikit-learn."""
    ids = [minilm.vocabulary.ids[str(year)] for year in YEARS]
    rows = minilm.tables.word_embeddings[ids].astype(np.float64)
    component, fit, error = numbers_read(rows, YEARS.astype(np.float64))
    first = PCA(1).fit_transform(rows)[:, 0]
    assert component == pytest.approx(abs(spearmanr(first, YEARS).statistic))
    assert component == pytest.approx(0.949, abs=5e-4)
    folds = np.random.default_rng(0).permutation(220) % 5
    splits = [(np.flatnonzero(folds != one), np.flatnonzero(folds == one)) for one in range(5)]
    read = cross_val_predict(Ridge(alpha=0.01), rows, YEARS, cv=splits)
    assert (fit, error) == pytest.approx((r2_score(YEARS, read), np.median(abs(YEARS - read))))
    assert (fit, error) == pytest.approx((0.971, 6.46), abs=5e-3)
    # Where ten years in a row are unseen, as docs/methods.md says.
    read = cross_val_predict(Ridge(alpha=0.01), rows, YEARS, cv=KFold(22))
    assert r2_score(YEARS, read) == pytest.approx(0.947, abs=5e-4)
    assert np.median(abs(YEARS - read)) == pytest.approx(7.6, abs=0.05)
    noise = np.random.default_rng(1).standard_normal(rows.shape)
    assert numbers_read(noise, YEARS.astype(np.float64))[1] < 0.1
