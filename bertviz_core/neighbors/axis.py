"""Lists of words, by their rows of the token table, and two tests of them.

Words on an axis between two poles: semantic projection (Grand et al. 2022). Two lists that lean to
others: the association test WEAT (Caliskan, Bryson & Narayanan 2017).
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, cosine_matrix, ratio, standard_ranks
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import CONTINUATION
from bertviz_core.errors import UserInputError
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

MAX_WORDS, MAX_LISTED = 500, 100  # to place; of a pole, or of a list of the association test
DRAWS, SEED = 1000, 0  # of axes between random words, and between random numbers
MIDDLE = (2.5, 97.5)  # percentiles: 95% lie between
MIN_LISTED = 2  # words of a list of the association test
MAX_DIVISIONS, BATCH = 20_000, 1_000  # of more divisions as many are drawn; at a time
_APART = re.compile(r"[\s,;，、；]+")
Rows = tuple[tuple[int, ...], ...]  # of each word; several of one that is not one token
Words = dict[str, tuple[int, ...]]


def read_words(bert: Bert, text: str, most: int = MAX_LISTED) -> Words:
    """The words of a text, apart at spaces, commas, semicolons and lines; no rows if [UNK].

    More than `most` words are a UserInputError.
    """
    words = [word for word in dict.fromkeys(_APART.split(without_lone_surrogates(text))) if word]
    if len(words) > most:
        raise UserInputError(f"A list has {len(words):,} words; at most {most} fit. Shorten it.")
    return {word: _token_ids(bert, word) for word in words}


def _token_ids(bert: Bert, word: str) -> tuple[int, ...]:
    if word in bert.vocabulary.ids:
        return (bert.vocabulary.ids[word],)
    encoding = bert.tokenizer.encode(word, add_special_tokens=False)
    lost = bert.tokenizer.model.unk_token in encoding.tokens or word.startswith(CONTINUATION)
    return () if lost else tuple(encoding.ids)


def mean_rows(table: Any, words: Iterable[tuple[int, ...]]) -> Exact:
    """The vector of each of n words, the mean of its rows of a table: float64 (n, hidden_size)."""
    return np.stack([table[list(ids)].mean(axis=0, dtype=np.float64) for ids in words])


class Axis(NamedTuple):
    """The line through the means of two poles."""

    low: Words
    high: Words
    halfway: Exact  # float64 (hidden_size,), between the two means
    direction: Exact  # from there to the mean of the high pole

    def places(self, vectors: Exact) -> Exact:
        """Where vectors (n, hidden_size) lie: -1 at the low mean, 1 at the high one; (n,)."""
        return (vectors - self.halfway) @ self.direction / np.square(self.direction).sum()


def axis_between(bert: Bert, low: str, high: str) -> Axis:
    """The axis from the words of one text to those of another; a UserInputError for none."""
    poles = read_words(bert, low), read_words(bert, high)
    for pole, which in zip(poles, ("first", "second"), strict=True):
        if not pole or not all(pole.values()):
            why = "BERT has no piece for a word of it" if pole else "it is empty"
            raise UserInputError(f"The {which} pole cannot be read: {why}. Change it.")
    table = bert.tables.word_embeddings
    first, last = (mean_rows(table, pole.values()).mean(axis=0) for pole in poles)
    if np.allclose(first, last, atol=1e-7):
        raise UserInputError("Both poles are the same, so nothing lies between. Change one.")
    return Axis(*poles, (first + last) / 2, (last - first) / 2)


def measured(vectors: Exact, directions: Exact, ordered: bool) -> Exact:
    """What of vectors (n, hidden_size) lies along directions (..., hidden_size): float64 (...,).

    Of words in an expected order it is Spearman's correlation of that with their places, else the
    share of the variance of their vectors.
    """
    along = directions @ vectors.T
    if ordered:
        return np.asarray(standard_ranks(along) @ standard_ranks(np.arange(len(vectors))))
    return ratio(along.var(axis=-1), np.square(directions).sum(axis=-1) * vectors.var(axis=0).sum())


def by_chance(bert: Bert, words: Rows, low: int, high: int, ordered: bool) -> Exact:
    """Between which ends 95% of `DRAWS` measurements of words lie: float64 (2, 2).

    The first row is of axes from `low` to `high` words of letters, drawn from the vocabulary; the
    second of axes and words that are independent normal numbers, as in a model never trained.
    """
    table, generator = bert.tables.word_embeddings, np.random.default_rng(SEED)
    letters = np.flatnonzero([token.isalpha() for token in bert.vocabulary.tokens])
    drawn = (table[generator.choice(letters, low + high)] for _ in range(DRAWS))
    axes = np.array([one[low:].mean(axis=0) - one[:low].mean(axis=0) for one in drawn])
    random = generator.standard_normal((DRAWS + len(words), bert.hidden_size))
    own = measured(mean_rows(table, words), axes, ordered)
    untrained = measured(random[DRAWS:], random[:DRAWS], ordered)
    return np.asarray(np.percentile([own, untrained], MIDDLE, axis=1).T)


class Association(NamedTuple):
    """How much more one list of words leans to some attributes than another list does."""

    scores: Exact  # of each word: its mean cosine with one list of attributes less the other
    effect: float  # d: the difference of both lists' means, over the standard deviation of all
    p: float  # share of divisions into two such lists with at least this difference
    tried: int  # divisions: all, or `MAX_DIVISIONS` that were drawn


def association_test(first: Any, second: Any, near: Any, other: Any) -> Association:
    """Test whether a list of words is nearer than another one to some attributes than to others.

    All are vectors (n, hidden_size), 2 at least; else a UserInputError. The test is one-sided, as
    published; the deviation divides by the number of words less one. Drawn divisions count the
    given one as well, so that p is never 0.
    """
    from scipy.stats import permutation_test

    if min(map(len, (first, second, near, other))) < MIN_LISTED:
        raise UserInputError(f"Each list needs {MIN_LISTED} words that are one token. Add some.")
    words = np.concatenate([first, second])
    scores = cosine_matrix(words, near).mean(axis=1) - cosine_matrix(words, other).mean(axis=1)
    if scores.std() < 1e-9:
        raise UserInputError("No word is nearer to one side than to the other. Change a side.")
    tested = permutation_test(
        np.split(scores, [len(first)]),
        lambda one, two, axis: one.mean(axis=axis) - two.mean(axis=axis),
        vectorized=True,
        n_resamples=MAX_DIVISIONS,
        batch=BATCH,
        alternative="greater",
        rng=SEED,
    )
    effect = float(tested.statistic / scores.std(ddof=1))
    return Association(scores, effect, float(tested.pvalue), len(tested.null_distribution))
