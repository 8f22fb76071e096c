"""The association test: by hand, with the published lists, and with shuffled ones."""

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.metrics.pairwise import cosine_similarity

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors.association import MAX_DIVISIONS, association_test
from bertviz_core.views.nearest_neighbors.association import association
from bertviz_core.views.nearest_neighbors.presets import TESTS


def test_two_words_against_two() -> None:
    x, y = np.eye(2)
    near = np.stack([x, x])
    other = np.stack([y, y])
    found = association_test(np.stack([x, 2 * x]), np.stack([y, y]), near, other)
    assert found.scores.tolist() == [1, 1, -1, -1]
    # The deviation of 1, 1, -1, -1 by n - 1 is 2 / sqrt(3).
    assert found.effect == pytest.approx(3**0.5)
    assert (found.p, found.tried) == (pytest.approx(1 / 6), 6), "one of 4 over 2 divisions"
    with pytest.raises(UserInputError, match="needs 2 words"):
        association_test(near[:1], other, near, other)
    with pytest.raises(UserInputError, match="No word is nearer"):
        association_test(near, other, near, near)


@pytest.mark.parametrize(
    ("name", "effect", "p", "counts"),
    [
        ("flowers and insects", 1.64, "0.00005", "flowers 9 of 25, insects 12 of 25"),
        ("maths and arts", 0.96, "0.026", "maths 8 of 8, arts 8 of 8"),
        ("careers", 0.74, "0.071", "men's names 8 of 8, women's names 8 of 8"),
    ],
)
def test_the_published_lists(minilm: Bert, name: str, effect: float, p: str, counts: str) -> None:
    """The figures of issue 44; the effect size by scikit-learn as well."""
    view = association(minilm, **TESTS[name])
    values, ids = view.values, minilm.vocabulary.ids
    assert (float(str(values["effect"])), values["p"]) == (effect, p)
    assert str(values["counts"]).startswith(counts)
    lists = [text.partition(": ")[2].split() for text in TESTS[name].values()]
    rows = [[ids[word] for word in words if word in ids] for words in lists]
    table = minilm.tables.word_embeddings
    leaning = [
        cosine_similarity(table[one], table[rows[2]]).mean(axis=1)
        - cosine_similarity(table[one], table[rows[3]]).mean(axis=1)
        for one in rows[:2]
    ]
    difference = leaning[0].mean() - leaning[1].mean()
    assert difference / np.concatenate(leaning).std(ddof=1) == pytest.approx(effect, abs=5e-3)
    frame = view.to_frame()
    assert frame.iloc[:, 2].tolist() == pytest.approx(np.concatenate(leaning), abs=1e-6)


def test_shuffled_lists_have_uniform_p(minilm: Bert) -> None:
    generator, table = np.random.default_rng(3), minilm.tables.word_embeddings
    every = np.flatnonzero(minilm.vocabulary.allowed("words"))
    found, exact = [], []
    for count in (4, 12):
        for _ in range(150):
            rows = generator.choice(every, 2 * count + 6, replace=False)
            parts = np.split(table[rows], [count, 2 * count, 2 * count + 3])
            test = association_test(*parts)
            found.append(test.p)
            exact.append(test.tried < MAX_DIVISIONS)
    assert sum(exact) == 150, "70 divisions of 8 words are all tried, of 24 some are drawn"
    assert kstest(found, "uniform").pvalue > 0.01
