"""Which rows of the embedding tables make two words alike, and whether masking tells the same.

References:
    Sundararajan, Taly & Yan (2017), "Axiomatic Attribution for Deep Networks".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.attention import FEWEST_WORDS, shuffled, standard_ranks
from bertviz_core.contextual.influence import OtherWord
from bertviz_core.encoder import Encoder, Pooling
from bertviz_core.encoder.path_gradients import PathGradients, path_gradients
from bertviz_core.result import Result

PARTS = ("token", "segment", "position")  # in the order of `PathGradients.shares`


def attribution(
    encoder: Encoder,
    word: WordInContext,
    anchor: WordInContext,
    layer: int,
    pooling: Pooling = "mean",
    *,
    hold_anchor: bool = False,
) -> PathGradients:
    """Share the similarity of two words out among the rows of their sentences.

    Args:
        encoder: The model both words come from.
        word: A marked word.
        anchor: What it is compared with; it may stand in the same sentence.
        layer: 0 to num_hidden_layers.
        pooling: How the pieces of each were pooled.
        hold_anchor: Whether the anchor's sentence stays as it is, as when words are masked. It
            has no effect where both words stand in one sentence.

    Returns:
        `shares` holds first the word's sentence, then the anchor's, if it is another one.

    Raises:
        UserInputError: A sentence has more than 128 tokens, or is of another checkpoint.
    """
    same = word.sentence == anchor.sentence
    texts = [word.text] if same else [word.text, anchor.text]
    words = [(0, word.token_positions), (len(texts) - 1, anchor.token_positions)]
    held = (1,) if hold_anchor and not same else ()
    return path_gradients(encoder, texts, words, layer, pooling, held)


def added_by_words(shares: Exact, others: Sequence[OtherWord]) -> Exact:
    """Add up the shares of each word's pieces, all three parts.

    Args:
        shares: (3, tokens), of one sentence.
        others: n words of it.

    Returns:
        float64 (n,).
    """
    by_token = shares.sum(axis=0)
    return np.array([by_token[list(other.positions)].sum() for other in others])


@dataclass(frozen=True, repr=False)
class RankCorrelation(Result):
    """How two orders of the same words go together.

    Attributes:
        value: Spearman's rank correlation, in [-1, 1].
        chance: Share of 1,000 shuffles of one side whose correlation is at least as far from 0.
    """

    value: float
    chance: float

    def columns(self) -> dict[str, Any]:
        """A single row."""
        return {"rank correlation": [self.value], "share of shuffles": [self.chance]}


def correlation_with_masking(added: NDArray[np.floating], changes: Array) -> RankCorrelation | None:
    """Compare what words add by their gradients with what is lost when they are taken away.

    Args:
        added: (n,), as `added_by_words` gives it.
        changes: (n,), as `influence.influence` gives it for a layer: below zero where the word
            draws the two together. It is turned round, so that agreement is above zero.

    Returns:
        The correlation; None of fewer than 5 words, or where one side is the same for all.

    References:
        Spearman (1904); the shuffles are those of NumPy's `default_rng(0)`.
    """
    if len(added) < FEWEST_WORDS or not np.ptp(added) or not np.ptp(changes):
        return None
    first, second = standard_ranks(np.stack([added, -changes]))
    value = float(np.clip(first @ second, -1, 1))
    chance = float((np.abs(shuffled(first) @ second) >= abs(value) - 1e-9).mean())
    return RankCorrelation(value, chance)
