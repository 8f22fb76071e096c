"""The tokens that the head for masked words reads from a word's vectors."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Ids, frozen, read_only
from bertviz_core.bert import Bert
from bertviz_core.encoder.masked_words import masked_word_head


class Predictions(NamedTuple):
    """The likeliest tokens at every layer; arrays are read-only."""

    token_ids: Ids  # int64 (num_hidden_layers + 1, k), likeliest first
    tokens: tuple[tuple[str, ...], ...]
    probabilities: Array  # float32, of the same shape; those of all rows of the table add up to 1
    own_ranks: Ids  # int64 (num_hidden_layers + 1,), rank of the word's likeliest piece, from 1
    own_probabilities: Array  # float32 (num_hidden_layers + 1,), its probability


def predictions_by_layer(
    bert: Bert, vectors: Array, own: Sequence[int], k: int = 10
) -> Predictions:
    """Read each layer's vector of a word, whose pieces have the ids `own`, with the head."""
    from scipy.special import softmax

    probabilities = softmax(masked_word_head(bert).logits(vectors).astype(np.float64), axis=-1)
    best = np.argsort(-probabilities, axis=-1, kind="stable")[:, :k]
    nearest_own = probabilities[:, list(own)].max(axis=-1)
    ahead = np.count_nonzero(probabilities > nearest_own[:, None], axis=-1)
    return Predictions(
        token_ids=read_only(best.astype(np.int64)),
        tokens=tuple(tuple(bert.vocabulary.tokens[i] for i in row) for row in best),
        probabilities=frozen(np.take_along_axis(probabilities, best, axis=-1)),
        own_ranks=read_only((1 + ahead).astype(np.int64)),
        own_probabilities=frozen(nearest_own),
    )
