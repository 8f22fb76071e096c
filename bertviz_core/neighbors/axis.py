"""Words on an axis between two poles: semantic projection (Grand et al. 2022) of token rows."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, ratio, standard_ranks
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import CONTINUATION
from bertviz_core.errors import UserInputError
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

MAX_WORDS, MAX_LISTED = 500, 100  # to place; of a pole, or of a list of the association test
DRAWS, SEED = 1000, 0  # of axes between random words, and between random numbers
MIDDLE = (2.5, 97.5)  # percentiles: 95% lie between
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
