"""A word with another row of the token table: a row of another word, or that of a new token."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Ids, cosine, frozen
from bertviz_core.bert import Bert
from bertviz_core.contextual.occlusion import dropped
from bertviz_core.contextual.words import WordInContext
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.tokens import TokenizedText, tokenize

STARTS = ("row at random", "mean of all rows", "mean of its pieces")
DRAWS = 5  # random rows; their numbers are averaged


class OneToken(NamedTuple):
    """A sentence in which a word is one token. A word in pieces becomes a new token."""

    text: TokenizedText  # the first piece stands for the word; positions are numbered again
    position: int
    row: Array  # float32 (hidden_size,): its own row, or the mean of its pieces' rows


def as_one_token(bert: Bert, text: TokenizedText, pieces: Sequence[int]) -> OneToken:
    """Make one token of the word whose pieces are at these positions."""
    first, *rest = pieces
    return OneToken(
        dropped(text, tuple(rest)), first, _mean_row(bert, text.input_ids[list(pieces)])
    )


def row_of(bert: Bert, written: str) -> tuple[tuple[str, ...], Array]:
    """The pieces of a word, and its row: the mean of the rows of its pieces."""
    text = tokenize(bert, written)
    if not (places := text.word_positions):
        raise UserInputError(f"“{shortened(written)}” holds no character that BERT reads.")
    return tuple(text.tokens[i] for i in places), _mean_row(bert, text.input_ids[places])


def vectors_with_rows(encoder: Encoder, one: OneToken, rows: Array) -> Array:
    """Run with each of n rows for a word; its vectors: (n, layers + 1, hidden_size)."""
    table = encoder.bert.tables.word_embeddings
    given = np.repeat(table[one.text.input_ids][None], len(rows), axis=0)
    given[:, one.position] = rows
    return encoder.vectors_of_rows(one.text, given, one.position)


def new_token(encoder: Encoder, word: WordInContext) -> Array:
    """Replace the rows of a word's pieces by one row, for each of `STARTS`.

    Returns the cosine with the mean vector of the pieces before, float32 (3, layers + 1).
    """
    before = encoder.hidden_states(word.text)[:, list(word.token_positions)]
    one = as_one_token(encoder.bert, word.text, word.token_positions)
    table = encoder.bert.tables.word_embeddings
    ordinary = table[encoder.bert.vocabulary.is_ordinary]
    after = vectors_with_rows(encoder, one, np.stack([*_rows_like(ordinary), one.row]))
    found = cosine(after, before.mean(axis=1, dtype=np.float64))
    return frozen(np.stack([found[:DRAWS].mean(axis=0), *found[DRAWS:]]))


def _mean_row(bert: Bert, ids: Ids) -> Array:
    """The mean of some rows; one row alone stays exactly as it is."""
    return frozen(bert.tables.word_embeddings[ids].mean(axis=0, dtype=np.float64))


def _rows_like(rows: Array) -> Array:
    """`DRAWS` normal rows with the mean and deviation of each dimension of `rows`; their mean."""
    mean = rows.mean(axis=0, dtype=np.float64)
    # Not `std`, which would make a copy of the table in float64.
    squares = np.einsum("ij,ij->j", rows, rows, dtype=np.float64) / len(rows)
    noise = np.random.default_rng(0).standard_normal((DRAWS, rows.shape[1]))
    return frozen([*(mean + noise * np.sqrt(np.maximum(squares - mean**2, 0))), mean])
