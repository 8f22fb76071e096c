"""A word with another row of the token table than its own."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Ids, frozen
from bertviz_core.bert import Bert
from bertviz_core.contextual.occlusion import dropped
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.tokens import TokenizedText, tokenize


class OneToken(NamedTuple):
    """A sentence in which a word is one token; one in pieces becomes a new token."""

    text: TokenizedText  # the first piece stands for it, and positions are numbered again
    position: int
    row: Array  # float32 (hidden_size,): its own row, or the mean of its pieces' rows


def as_one_token(bert: Bert, text: TokenizedText, pieces: Sequence[int]) -> OneToken:
    """Make one token of the word whose pieces are at some positions."""
    first, *rest = pieces
    return OneToken(
        dropped(text, tuple(rest)), first, _mean_row(bert, text.input_ids[list(pieces)])
    )


def row_of(bert: Bert, written: str) -> tuple[tuple[str, ...], Array]:
    """What a word is cut into, and its row: the mean of the rows of its pieces."""
    text = tokenize(bert, written)
    if not (places := of_words(text)):
        raise UserInputError(f"“{shortened(written)}” holds no character that BERT reads.")
    return tuple(text.tokens[i] for i in places), _mean_row(bert, text.input_ids[places])


def vectors_with_rows(
    encoder: Encoder, one: OneToken, rows: Array, others: Sequence[int] = ()
) -> Array:
    """Run with each of n rows for a word: it, then others, (n, layers + 1, tokens, hidden_size)."""
    table = encoder.bert.tables.word_embeddings
    given = np.repeat(table[one.text.input_ids][None], len(rows), axis=0)
    given[:, one.position] = rows
    return encoder.vectors_of_rows(one.text, given, [one.position, *others])


def _mean_row(bert: Bert, ids: Ids) -> Array:
    """The mean of some rows; one row alone stays exactly as it is."""
    return frozen(bert.tables.word_embeddings[ids].mean(axis=0, dtype=np.float64))


def of_words(text: TokenizedText) -> list[int]:
    """The positions of a text that are of words, not of [CLS] and [SEP]."""
    return [i for i, number in enumerate(text.word_ids) if number is not None]
