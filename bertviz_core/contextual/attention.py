"""What a marked word attends to, and whether attention agrees with occlusion."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, frozen
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.occlusion import OtherWord, other_words
from bertviz_core.encoder import Encoder

TARGETS = ("other words", "first", "special", "itself")
FEWEST_WORDS = 5  # of fewer, chance agrees too often
SHUFFLES = 1_000


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


class HeadAgreement(NamedTuple):
    """How the weights of heads agree with occlusion: Spearman's rank correlations, in [-1, 1]."""

    correlations: Exact  # float64 (layers, heads); NaN for a head that weighs all words alike
    nearness: float  # of nearness to the word, in tokens, with the change: needs no model
    chance: float  # share of 1,000 shuffles in which some head reaches `highest`

    @property
    def median(self) -> float:
        """Of all heads that have a correlation."""
        return float(np.nanmedian(self.correlations))

    @property
    def highest(self) -> tuple[int, int]:
        """Indices of layer and head with the highest correlation, both from 0."""
        layer, head = divmod(int(np.nanargmax(self.correlations)), self.correlations.shape[1])
        return layer, head


def agreement_with_changes(
    weights: Array, changes: Array, others: Sequence[OtherWord], word: WordInContext
) -> HeadAgreement | None:
    """Compare attention, (layers, heads, n), with the sizes of what occlusion changes, (n,)."""
    sizes = np.abs(changes.astype(np.float64))
    if len(others) < FEWEST_WORDS or not np.ptp(sizes):
        return None  # nothing to compare
    rows = standard_ranks(weights.reshape(-1, len(others)))
    orders = ~np.isnan(rows[:, 0])  # heads that weigh all words alike have no order
    if not orders.any():
        return None
    ranks = standard_ranks(sizes[None])[0]
    correlations = np.full(len(rows), np.nan)
    correlations[orders] = (rows[orders] @ ranks).clip(-1, 1)
    draw = np.random.default_rng(0)
    shuffled = draw.permuted(np.tile(ranks, (SHUFFLES, 1)), axis=1)
    best_of_shuffles = (rows[orders] @ shuffled.T).max(axis=0)
    nearness = standard_ranks(np.array([[-other.gap(word.token_positions) for other in others]]))
    return HeadAgreement(
        correlations=correlations.reshape(weights.shape[:2]),
        nearness=float(nearness[0] @ ranks),
        chance=float((best_of_shuffles >= np.nanmax(correlations) - 1e-9).mean()),
    )


def standard_ranks(rows: NDArray[np.number[Any]]) -> Exact:
    """Ranks of each row, centred, of length 1: the products are Spearman's; NaN for equal ones."""
    from scipy.stats import rankdata

    ranks = rankdata(rows, axis=-1)
    ranks -= ranks.mean(axis=-1, keepdims=True)
    lengths = np.linalg.norm(ranks, axis=-1, keepdims=True)
    return np.divide(ranks, lengths, out=np.full(ranks.shape, np.nan), where=lengths > 0)
