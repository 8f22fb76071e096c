"""A word with another row of the token table than its own, and which row a new token needs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, Ids, cosine, frozen
from bertviz_core.bert import Bert
from bertviz_core.contextual.occlusion import MOST_TOKENS, dropped, other_words
from bertviz_core.contextual.words import WordInContext
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.tokens import TokenizedText, tokenize

STARTS = ("row at random", "mean of all rows", "mean of its pieces")
DRAWS = 5  # rows at random, whose numbers are averaged
MOST_ORDINARY = 6  # words of one piece beside the new token


class OneToken(NamedTuple):
    """A sentence in which a word is one token; one in pieces becomes a new token."""

    text: TokenizedText  # the first piece stands for it, and positions are numbered again
    position: int
    row: Array  # float32 (hidden_size,): its own row, or the mean of its pieces' rows


def as_one_token(bert: Bert, word: WordInContext) -> OneToken:
    """Make one token of a word, with the mean of its pieces' rows."""
    first, *rest = word.token_positions
    row = _mean_row(bert, word.text.input_ids[list(word.token_positions)])
    return OneToken(dropped(word.text, tuple(rest)), first, row)


def row_of(bert: Bert, written: str) -> tuple[tuple[str, ...], Array]:
    """What a word is cut into, and its row: the mean of the rows of its pieces."""
    text = tokenize(bert, written)
    places = [i for i, number in enumerate(text.word_ids) if number is not None]
    if not places:
        raise UserInputError(f"“{shortened(written)}” holds no character that BERT reads.")
    return tuple(text.tokens[i] for i in places), _mean_row(bert, text.input_ids[places])


def rows_between(first: Array, last: Array, steps: int) -> Array:
    """Go from one row to another in even steps: float32 (steps, hidden_size), both ends exact."""
    share = np.linspace(0, 1, steps, dtype=np.float32)[:, None]
    return (1 - share) * first + share * last


def vectors_with_rows(
    encoder: Encoder, one: OneToken, rows: Array, positions: Sequence[int] | None = None
) -> Array:
    """Run a sentence with each of n rows for its word: (n, layers + 1, positions, hidden_size)."""
    table = encoder.bert.tables.word_embeddings
    given = np.repeat(table[one.text.input_ids][None], len(rows), axis=0)
    given[:, one.position] = rows
    kept = [one.position] if positions is None else positions
    return encoder.vectors_of_rows(one.text, given, kept)


def rows_for_all(bert: Bert) -> Array:
    """Rows that any new token may get: `DRAWS` drawn at random, then the mean of all rows.

    Each drawn number has the mean and the deviation of its dimension over the ordinary rows.
    """
    rows = bert.tables.word_embeddings[bert.vocabulary.is_ordinary]
    mean = rows.mean(axis=0, dtype=np.float64)
    # Not `std`, which would make a copy of the table in float64.
    squares = np.einsum("ij,ij->j", rows, rows, dtype=np.float64) / len(rows)
    noise = np.random.default_rng(0).standard_normal((DRAWS, rows.shape[1]))
    return frozen([*(mean + noise * np.sqrt(np.maximum(squares - mean**2, 0))), mean])


class NewToken(NamedTuple):
    """How a word's one new token behaves with each of `STARTS` for its row; cosines."""

    own: Array  # float32 (3, layers + 1), with the mean vector of its pieces before
    others: Array | None  # float32 (3, layers + 1), of the other words with themselves before


def new_token(encoder: Encoder, word: WordInContext, for_all: Array) -> NewToken:
    """Give a word one row in place of its pieces', and compare; `for_all` are `rows_for_all`."""
    one = as_one_token(encoder.bert, word)
    rest = [i for i in _of_words(one.text) if i != one.position]
    rows = np.stack([*for_all, one.row])
    after = vectors_with_rows(encoder, one, rows, [one.position, *rest])
    own = cosine(after[:, :, 0], word.pieces.mean(axis=1, dtype=np.float64))
    if not rest:
        return NewToken(_by_start(own), None)
    kept = [i for i in _of_words(word.text) if i not in word.token_positions]
    before = encoder.hidden_states(word.text)[:, kept]
    return NewToken(_by_start(own), _by_start(cosine(after[:, :, 1:], before).mean(axis=-1)))


def ordinary_words(encoder: Encoder, word: WordInContext) -> list[WordInContext]:
    """The nearest other words of one piece in a word's sentence, for comparison."""
    states = encoder.hidden_states(word.text)
    most = min(MOST_ORDINARY, MOST_TOKENS // (len(word.text) * (DRAWS + 2)))
    single = [
        one
        for one in other_words(word)
        if len(one.positions) == 1 and any(map(str.isalnum, one.word))
    ]
    nearest = sorted(single, key=lambda one: one.gap(word.token_positions))[:most]
    return [
        replace(
            word,
            word=one.word,
            tokens=(word.text.tokens[one.positions[0]],),
            token_positions=one.positions,
            vectors=states[:, one.positions[0]],
            pieces=states[:, list(one.positions)],
        )
        for one in nearest
    ]


def _mean_row(bert: Bert, ids: Ids) -> Array:
    """The mean of some rows; one row alone stays exactly as it is."""
    return frozen(bert.tables.word_embeddings[ids].mean(axis=0, dtype=np.float64))


def _by_start(numbers: Exact) -> Array:
    """One curve for each of `STARTS`, the drawn rows averaged."""
    return frozen(np.stack([numbers[:DRAWS].mean(axis=0), *numbers[DRAWS:]]))


def _of_words(text: TokenizedText) -> list[int]:
    return [i for i, number in enumerate(text.word_ids) if number is not None]
