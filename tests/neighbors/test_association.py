"""The association test: by hand, with the published lists, and with shuffled ones."""

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.metrics.pairwise import cosine_similarity

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors.association import (
    MAX_EXACT,
    association_test,
    random_topics,
    topic_effects,
)
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
        ("flowers and insects", 1.64, "0.00005", (9, 12)),
        ("maths and arts", 0.96, "0.026", (8, 8)),
        ("careers", 0.74, "0.071", (8, 8)),
    ],
)
def test_the_published_lists(
    minilm: Bert, name: str, effect: float, p: str, counts: tuple[int, int]
) -> None:
    """The figures of issue 44; the effect size by scikit-learn as well."""
    view = association(minilm, **TESTS[name])
    values, ids = view.values, minilm.vocabulary.ids
    assert (float(str(values["effect"])), values["p"]) == (effect, p)
    assert (values["first-count"], values["second-count"]) == counts
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
            exact.append(test.tried < MAX_EXACT)
    assert sum(exact) == 150, "70 divisions of 8 words are all tried, of 24 some are drawn"
    assert kstest(found, "uniform").pvalue > 0.01


def test_topics_around_random_words(minilm: Bert) -> None:
    topics, table = random_topics(minilm), minilm.tables.word_embeddings
    assert topics.shape == (2, 100, 100)
    own = topics[0, 0, 0]
    nearest = np.argsort(-cosine_similarity(table[[own]], table)[0])
    words = [row for row in nearest if minilm.vocabulary.tokens[row].isalpha()]
    assert topics[0, 0, :3].tolist() == words[:3]
    ids = minilm.vocabulary.ids
    sides = [table[[ids[word] for word in pair]] for pair in (("he", "man"), ("she", "woman"))]
    effects = topic_effects(table, topics, (5, 7), *sides)
    first, second = table[topics[0, 4, :5]], table[topics[1, 4, :7]]
    assert effects[4] == pytest.approx(association_test(first, second, *sides).effect)
