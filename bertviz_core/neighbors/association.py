"""An association test of words: WEAT (Caliskan, Bryson & Narayanan 2017), on token rows."""

from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, Ids, cosine_matrix, unit_rows
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError

MIN_LISTED, MAX_LISTED = 2, 100  # words of a list
MAX_EXACT, BATCH = 20_000, 1_000  # divisions that are all tried, of more as many drawn; at a time
PAIRS, SEED = 100, 0  # of topics


class Association(NamedTuple):
    """How much more one list of words leans to some attributes than another list does."""

    scores: Exact  # of each word: its mean cosine with one list of attributes less the other
    effect: float  # d: the difference of both lists' means, over the standard deviation of all
    p: float  # share of divisions into two such lists with at least this difference
    tried: int  # divisions: all, or `MAX_EXACT` that were drawn


def association_test(first: Any, second: Any, near: Any, other: Any) -> Association:
    """Test whether a list of words is nearer than another one to some attributes than to others.

    All are vectors (n, hidden_size), 2 at least; else a UserInputError. The test is one-sided, as
    published; the deviation divides by the number of words less one. Drawn divisions count the
    given one as well, so that p is never 0.
    """
    if min(map(len, (first, second, near, other))) < MIN_LISTED:
        raise UserInputError(f"Each list needs {MIN_LISTED} words that are one token. Add some.")
    scores, count = _leaning(np.concatenate([first, second]), near, other), len(first)
    if scores.std() < 1e-9:
        raise UserInputError("No word is nearer to one side than to the other. Change a side.")
    effect = float(_effects(scores, count))
    number, least = comb(len(scores), count), scores[:count].sum() - 1e-12
    if number <= MAX_EXACT:
        sums = scores[list(combinations(range(len(scores)), count))].sum(axis=1)
        return Association(scores, effect, float((sums >= least).mean()), number)
    generator, found = np.random.default_rng(SEED), 1
    for _ in range(MAX_EXACT // BATCH):
        drawn = generator.random((BATCH, len(scores))).argsort(axis=1)[:, :count]
        found += int((scores[drawn].sum(axis=1) >= least).sum())
    return Association(scores, effect, found / (MAX_EXACT + 1), MAX_EXACT)


def _leaning(words: Any, near: Any, other: Any) -> Exact:
    first, second = (cosine_matrix(words, one).mean(axis=1) for one in (near, other))
    return np.asarray(first - second)


def _effects(scores: Exact, count: int) -> Exact:
    """The effect size of scores (..., n), whose first list has `count` words: (...,)."""
    differences = scores[..., :count].mean(axis=-1) - scores[..., count:].mean(axis=-1)
    return np.asarray(differences / scores.std(axis=-1, ddof=1))


def random_topics(bert: Bert) -> Ids:
    """The rows nearest by cosine to words drawn at random, these first: (2, pairs, MAX_LISTED)."""
    every = enumerate(bert.vocabulary.tokens)
    rows = [row for row, token in every if token.isascii() and token.isalpha()]
    plain = np.array(rows, dtype=np.int64)
    units = unit_rows(bert.tables.word_embeddings[plain], np.float32)
    drawn = np.random.default_rng(SEED).permutation(len(plain))[: 2 * min(PAIRS, len(plain) // 2)]
    nearest = (-units[drawn] @ units.T).argsort(axis=1)[:, :MAX_LISTED]
    return plain[nearest].reshape(2, len(drawn) // 2, nearest.shape[1])


def topic_effects(table: Any, topics: Ids, sizes: Any, near: Any, other: Any) -> Exact:
    """The effect size of each pair of topics, cut to the sizes of two lists: float64 (pairs,)."""
    lists = [topic[:, :size] for topic, size in zip(topics, sizes, strict=True)]
    rows = np.concatenate(lists, axis=1)
    scores = _leaning(table[rows.ravel()], near, other).reshape(rows.shape)
    return _effects(scores, lists[0].shape[1])
