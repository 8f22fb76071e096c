"""What a marked word attends to."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.contextual.occlusion import OtherWord
from bertviz_core.contextual.words import WordInContext
from bertviz_core.encoder import Encoder


def word_attention(encoder: Encoder, word: WordInContext) -> Array:
    """How much a marked word attends to each token, by the mean over its pieces.

    Returns float32 (layers, heads, seq_len), of which each head has the sum 1; [0] is of layer 1.
    """
    by_piece = encoder.attention(word.text, word.token_positions)
    return frozen(by_piece.mean(axis=2, dtype=np.float64))


def attention_to_words(weights: Array, words: Sequence[OtherWord]) -> Array:
    """The sum of `word_attention` over the pieces of each of n words: float32 (..., n)."""
    found = np.empty((*weights.shape[:-1], len(words)))
    for number, word in enumerate(words):
        found[..., number] = weights[..., word.positions].sum(axis=-1, dtype=np.float64)
    return frozen(found)
