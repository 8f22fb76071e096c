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
    # float32 (4, layers, heads), how much goes to each of `TARGETS`, adding up to 1; "itself" holds
    # the rest of a word of which only a part is marked
    shares: Array

    def to_words(self, others: Sequence[OtherWord]) -> Array:
        """Sum of the weights of the pieces of each of n words: float32 (layers, heads, n)."""
        holds = np.zeros((self.weights.shape[-1], len(others)))
        for number, other in enumerate(others):
            holds[list(other.positions), number] = 1
        return (self.weights @ holds).astype(np.float32)


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
