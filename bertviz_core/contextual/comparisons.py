"""How alike the vectors of one word are, and how much pooling and model change the cosines."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Exact, Ids
from bertviz_core.contextual import WordInContext, similarity_by_layer
from bertviz_core.contextual.words import pooled
from bertviz_core.encoder import POOLINGS, Pooling

LEAST_PAIRS = 3


class ModelAgreement(NamedTuple):
    """Two models compared over the same pairs, at comparable depth."""

    layers: Ids  # int64 (m, 2), layer of the first model, and of the second at the same depth
    # float64 (m,), Spearman's, in [-1, 1]; NaN with fewer than three pairs, or where all are equal
    correlation: Exact


def self_similarity(words: Sequence[WordInContext]) -> Array:
    """Mean cosine of a word with itself over sentences: float32 (layers,). Ethayarajh (2019)."""
    return _mean([similarity_by_layer(a, b) for a, b in combinations(words, 2)])


def piece_similarity(word: WordInContext) -> Array:
    """Mean cosine between the pieces of one word, at least two: float32 (layers,)."""
    alone = [replace(word, vectors=piece) for piece in word.pieces.transpose(1, 0, 2)]
    return _mean([similarity_by_layer(a, b) for a, b in combinations(alone, 2)])


def compare_poolings(pairs: Sequence[tuple[WordInContext, WordInContext]]) -> Array:
    """Cosines of n pairs of words under each of `POOLINGS`: float32 (4, layers, n).

    Words of one piece have the same vector under all of them.
    """

    def compared(a: WordInContext, b: WordInContext, pooling: Pooling) -> Array:
        again = (replace(word, vectors=pooled(word.pieces, pooling)) for word in (a, b))
        return similarity_by_layer(*again)

    return np.stack(
        [np.stack([compared(a, b, pool) for a, b in pairs], axis=1) for pool in POOLINGS]
    )


def compare_models(first: Array, second: Array) -> ModelAgreement:
    """Correlate how two models order the same n pairs, (layers, n) each, at one share of depth."""
    layers = comparable_layers(len(first) - 1, len(second) - 1)
    return ModelAgreement(
        layers=layers,
        correlation=np.array([rank_correlation(first[a], second[b]) for a, b in layers]),
    )


def comparable_layers(first: int, second: int) -> Ids:
    """Match the layers of two models by share of depth, halves up: int64 (first + 1, 2)."""
    numbers = np.arange(first + 1)
    return np.stack([numbers, (2 * numbers * second + first) // (2 * first)], axis=1)


def rank_correlation(a: Array, b: Array) -> float:
    """Spearman's rank correlation in [-1, 1]; NaN with fewer than three pairs or equal values."""
    from scipy.stats import spearmanr

    if len(a) < LEAST_PAIRS or not (np.ptp(a) and np.ptp(b)):
        return float("nan")
    return float(spearmanr(a, b).statistic)


def _mean(curves: list[Array]) -> Array:
    return np.stack(curves).mean(axis=0, dtype=np.float64).astype(np.float32)
