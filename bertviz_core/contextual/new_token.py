"""Which row of the token table lets a new token, one for a word in pieces, behave."""

from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, cosine, frozen
from bertviz_core.bert import Bert
from bertviz_core.contextual.another_row import as_one_token, of_words, vectors_with_rows
from bertviz_core.contextual.words import WordInContext
from bertviz_core.encoder import Encoder

STARTS = ("row at random", "mean of all rows", "mean of its pieces")
DRAWS = 5  # rows at random, whose numbers are averaged


class NewToken(NamedTuple):
    """How one new token for a word behaves, by its row: float32 (3, layers + 1) for `STARTS`."""

    own: Array  # cosine with the mean vector of its pieces before
    others: Array | None  # mean cosine of the other words' tokens with themselves before


def new_token(encoder: Encoder, word: WordInContext) -> NewToken:
    """Give a word one row in place of its pieces', and compare its vectors with theirs."""
    text, rows = word.text, _rows_for_all(encoder.bert)
    before = encoder.hidden_states(text)

    one, kept = as_one_token(encoder.bert, text, word.token_positions), set(of_words(text))
    rest = [i for i in of_words(one.text) if i != one.position]
    after = vectors_with_rows(encoder, one, np.stack([*rows, one.row]), rest)
    pieces = before[:, list(word.token_positions)].mean(axis=1, dtype=np.float64)
    own = _by_start(cosine(after[:, :, 0], pieces))
    if not rest:
        return NewToken(own, None)
    others = cosine(after[:, :, 1:], before[:, sorted(kept - {*word.token_positions})])
    return NewToken(own, _by_start(others.mean(axis=-1)))


def _rows_for_all(bert: Bert) -> Array:
    """Rows drawn with each dimension's mean and deviation over ordinary rows; then the mean."""
    rows = bert.tables.word_embeddings[bert.vocabulary.is_ordinary]
    mean = rows.mean(axis=0, dtype=np.float64)
    # Not `std`, which would make a copy of the table in float64.
    squares = np.einsum("ij,ij->j", rows, rows, dtype=np.float64) / len(rows)
    noise = np.random.default_rng(0).standard_normal((DRAWS, rows.shape[1]))
    return frozen([*(mean + noise * np.sqrt(np.maximum(squares - mean**2, 0))), mean])


def _by_start(numbers: Exact) -> Array:
    """One curve for each of `STARTS`, the drawn rows averaged."""
    return frozen(np.stack([numbers[:DRAWS].mean(axis=0), *numbers[DRAWS:]]))
