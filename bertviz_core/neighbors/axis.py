"""Words on an axis between two poles: semantic projection (Grand et al. 2022) of token rows."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, held_out_ridge, principal_directions, standard_ranks
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import CONTINUATION
from bertviz_core.errors import UserInputError
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

MAX_WORDS, MAX_POLE = 500, 50
DRAWS, SEED = 100, 0  # of axes between random words, and of random tables
MIDDLE = (2.5, 97.5)  # percentiles: 95 of 100 draws lie between
FOLDS, RIDGE = 5, 0.01
_APART = re.compile(r"[\s,;，、；]+")


class Words(NamedTuple):
    """Words of a list, each once, and what was left out of it."""

    token_ids: dict[str, tuple[int, ...]]  # rows of each; several where a word is not one token
    unknown: list[str]  # what BERT reads as [UNK] or as nothing
    beyond: list[str]  # what came after the first words


def read_words(bert: Bert, text: str, most: int = MAX_WORDS) -> Words:
    """The words of a text, apart at spaces, commas, semicolons and lines: the first `most`."""
    words = [word for word in dict.fromkeys(_APART.split(without_lone_surrogates(text))) if word]
    found = {word: _token_ids(bert, word) for word in words[:most]}
    known = {word: ids for word, ids in found.items() if ids}
    return Words(known, [word for word in found if word not in known], words[most:])


def _token_ids(bert: Bert, word: str) -> tuple[int, ...]:
    if word in bert.vocabulary.ids:
        return (bert.vocabulary.ids[word],)
    encoding = bert.tokenizer.encode(word, add_special_tokens=False)
    lost = bert.tokenizer.model.unk_token in encoding.tokens or word.startswith(CONTINUATION)
    return () if lost else tuple(encoding.ids)


def mean_rows(table: Any, token_ids: Sequence[Sequence[int]]) -> Exact:
    """The vector of each of n words, the mean of its rows of a table: float64 (n, hidden_size)."""
    lengths = [len(ids) for ids in token_ids]
    rows = table[[row for ids in token_ids for row in ids]].astype(np.float64)
    return np.asarray(np.add.reduceat(rows, np.cumsum([0, *lengths[:-1]])) / np.c_[lengths])


class Axis(NamedTuple):
    """The line through the means of two poles."""

    low: Words
    high: Words
    halfway: Exact  # float64 (hidden_size,), between the two means
    direction: Exact  # from there to the mean of the high pole

    def places(self, vectors: Exact) -> Exact:
        """Where vectors (n, hidden_size) lie: -1 at the low mean, 1 at the high one; float64 (n,).

        This is the dot product with the unit axis of Grand et al. (2022), moved and scaled. Their
        axis, the mean of the differences of all pairs of poles, is the difference of the means.
        """
        return (vectors - self.halfway) @ self.direction / np.square(self.direction).sum()


def axis_between(bert: Bert, low: str, high: str) -> Axis:
    """The axis from the words of one text to those of another; a UserInputError for none."""
    poles = read_words(bert, low, MAX_POLE), read_words(bert, high, MAX_POLE)
    for pole, which in zip(poles, ("first", "second"), strict=True):
        if not pole.token_ids:
            why = "BERT has no piece for its words" if pole.unknown else "it is empty"
            raise UserInputError(f"The {which} pole has no word, since {why}. Write one or more.")
    table = bert.tables.word_embeddings
    first, last = (mean_rows(table, [*pole.token_ids.values()]).mean(axis=0) for pole in poles)
    if np.allclose(first, last, atol=1e-7):
        raise UserInputError("Both poles are the same, so nothing lies between. Change one.")
    return Axis(*poles, (first + last) / 2, (last - first) / 2)


class Chance(NamedTuple):
    """What an axis has of an order or of a spread, and between which ends 95 of 100 draws are."""

    own: float
    poles: tuple[float, float]  # of axes between words drawn at random
    weights: tuple[float, float]  # of this axis in tables drawn at random


def by_chance(bert: Bert, words: Sequence[Sequence[int]], axis: Axis, *, ordered: bool) -> Chance:
    """Compare an axis with `DRAWS` axes between random words, and with as many random tables.

    Of words in an expected order it is Spearman's correlation of places and order, else the share
    of the variance of their vectors that lies along the axis. Random poles have as many words as
    the axis has, whole ones of the vocabulary. A random table is one of a model never trained.
    """
    table, generator = bert.tables.word_embeddings, np.random.default_rng(SEED)
    low, high = ([*pole.token_ids.values()] for pole in (axis.low, axis.high))
    whole = np.flatnonzero(bert.vocabulary.allowed("words"))
    drawn = table[generator.choice(whole, (DRAWS, len(low) + len(high)))]
    directions = drawn[:, len(low) :].mean(axis=1) - drawn[:, : len(low)].mean(axis=1)
    rows = np.unique([row for ids in (*words, *low, *high) for row in ids])
    own_rows = [[np.searchsorted(rows, ids).tolist() for ids in one] for one in (words, low, high)]
    by_weights = []
    for _ in range(DRAWS):
        random = generator.standard_normal((len(rows), bert.hidden_size), np.float32)
        vectors, first, last = (mean_rows(random, ids) for ids in own_rows)
        by_weights += [*_measured(vectors, last.mean(axis=0) - first.mean(axis=0), ordered)]
    vectors = mean_rows(table, words)
    by_poles, (own,) = (_measured(vectors, one, ordered) for one in (directions, axis.direction))
    ends = (np.percentile(found, MIDDLE).tolist() for found in (by_poles, by_weights))
    return Chance(float(own), *map(tuple, ends))


def _measured(vectors: Exact, directions: Any, ordered: bool) -> Exact:
    """The rank correlation of vectors (n, m) along each direction (k, m), or the share: (k,)."""
    directions = np.atleast_2d(directions).astype(np.float64)
    along = directions @ vectors.T
    if ordered:
        return np.asarray(standard_ranks(along) @ standard_ranks(np.arange(len(vectors))))
    squares = np.square(directions).sum(axis=1) * vectors.var(axis=0).sum()
    return np.divide(along.var(axis=1), squares, out=np.zeros(len(along)), where=squares > 0)


def numbers_read(vectors: Exact, numbers: Exact) -> tuple[float, float, float]:
    """What rows (n, hidden_size) tell of their numbers (n,); Wennberg & Henter (2024), for ALBERT.

    Returns:
        Spearman's correlation with the first principal component, without its sign; R squared of
        each fifth, drawn at random, that ridge regression reads from the others; the median error.
    """
    centred = vectors - vectors.mean(axis=0)
    component = centred @ principal_directions(centred.T @ centred, 1)[0][0]
    ranks = standard_ranks(np.stack([component, numbers]))
    folds = np.random.default_rng(SEED).permutation(len(numbers)) % FOLDS
    read = held_out_ridge(vectors, numbers, folds, RIDGE)
    unread = np.square(numbers - read).mean() / numbers.var()
    return abs(float(ranks[0] @ ranks[1])), 1 - float(unread), float(np.median(abs(numbers - read)))
