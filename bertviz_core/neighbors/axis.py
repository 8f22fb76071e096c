"""Words on an axis between two poles, by their rows of the token table.

This is semantic projection (Grand et al. 2022).
"""

import re
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, ratio, standard_ranks
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors.search import mean_rows
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

MAX_WORDS = 500  # to place
MAX_OF_POLE = 100
DRAWS = 1000  # of axes between random words
SEED = 0
MIDDLE = (2.5, 97.5)  # percentiles: 95% lie between
_BETWEEN_WORDS = re.compile(r"[\s,;，、；]+")
Rows = tuple[tuple[int, ...], ...]  # of each word; several of one that is not one token
Words = dict[str, tuple[int, ...]]


def read_words(bert: Bert, text: str, most: int = MAX_OF_POLE) -> Words:
    """The words of a text, apart at spaces, commas, semicolons and lines; no rows if [UNK].

    More than `most` words are a UserInputError.
    """
    words = [
        word for word in dict.fromkeys(_BETWEEN_WORDS.split(without_lone_surrogates(text))) if word
    ]
    if len(words) > most:
        raise UserInputError(f"A list has {len(words):,} words; at most {most} fit. Shorten it.")
    return {word: _token_ids(bert, word) for word in words}


def _token_ids(bert: Bert, word: str) -> tuple[int, ...]:
    if word in bert.vocabulary.ids:
        return (bert.vocabulary.ids[word],)
    encoding = bert.tokenizer.encode(word, add_special_tokens=False)
    if bert.vocabulary.unknown in encoding.tokens or bert.vocabulary.continues(word):
        return ()
    return tuple(encoding.ids)


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
    start, end = (mean_rows(table, pole.values()).mean(axis=0) for pole in poles)
    if np.allclose(start, end, atol=1e-7):
        raise UserInputError("Both poles are the same, so nothing lies between. Change one.")
    return Axis(*poles, halfway=(start + end) / 2, direction=(end - start) / 2)


def score_along(vectors: Exact, directions: Exact, ordered: bool) -> Exact:
    """How far vectors (n, hidden_size) follow directions (..., hidden_size): float64 (...,).

    Of words in an expected order it is Spearman's correlation of that with their places along
    the direction, else the share of the variance of their vectors.
    """
    along = directions @ vectors.T
    if ordered:
        return np.asarray(standard_ranks(along) @ standard_ranks(np.arange(len(vectors))))
    return ratio(along.var(axis=-1), np.square(directions).sum(axis=-1) * vectors.var(axis=0).sum())


def chance_range(bert: Bert, words: Rows, low: int, high: int, ordered: bool) -> Exact:
    """The two ends between which 95% of `DRAWS` scores by chance lie: float64 (2,).

    They are of axes from `low` to `high` words of letters, drawn from the vocabulary.
    """
    table = bert.tables.word_embeddings
    generator = np.random.default_rng(SEED)
    letters = np.flatnonzero([token.isalpha() for token in bert.vocabulary.tokens])
    draws = (table[generator.choice(letters, low + high)] for _ in range(DRAWS))
    axes = np.array([rows[low:].mean(axis=0) - rows[:low].mean(axis=0) for rows in draws])
    return np.asarray(np.percentile(score_along(mean_rows(table, words), axes, ordered), MIDDLE))
