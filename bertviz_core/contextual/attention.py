"""What a marked word attends to."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.occlusion import OtherWord, other_words
from bertviz_core.encoder import Encoder

TARGETS = ("other words", "first", "special", "itself")


class WordAttention(NamedTuple):
    """How much a marked word looks at each token; layer 1 is the first after the embedding."""

    weights: Array  # float32 (layers, heads, seq_len), mean over the word's pieces; sum 1
    others: tuple[OtherWord, ...]
    # float32 (4, layers, heads), the share of each of `TARGETS`; sum 1. Of a word that is marked in
    # part, the rest counts as "itself".
    shares: Array

    def to_words(self, others: Sequence[OtherWord]) -> Array:
        """Sum of the weights of the pieces of each of n words: float32 (layers, heads, n)."""
        weights = self.weights.astype(np.float64)
        return frozen(
            np.stack([weights[..., other.positions].sum(axis=-1) for other in others], -1)
        )


def word_attention(encoder: Encoder, word: WordInContext) -> WordAttention:
    """Run a sentence and keep what one of its words attends to."""
    by_piece = encoder.attention(word.text, word.token_positions)
    weights = by_piece.mean(axis=2, dtype=np.float64)
    others = other_words(word)
    target = np.full(len(word.text), TARGETS.index("itself"))
    for position, number in enumerate(word.text.word_ids):
        if number is None:
            target[position] = TARGETS.index("special" if position else "first")
    target[[position for other in others for position in other.positions]] = 0
    shares = [weights[..., target == number].sum(axis=-1) for number in range(len(TARGETS))]
    return WordAttention(frozen(weights), others, frozen(np.stack(shares)))
