"""What each dimension brings to the cosine of two random tokens. Timkey & van Schijndel (2021)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, Ids, unit_rows
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize


class CosineParts(NamedTuple):
    """The mean cosine of two tokens by dimension; float64 (layers, hidden_size)."""

    parts: Exact  # those of a layer add up to its mean cosine
    turned: Exact  # the same on random axes, which change no cosine
    mean: Exact  # of each dimension over all tokens
    deviation: Exact
    largest: Ids  # int64 (layers, 3), the dimensions with the largest parts


def cosine_parts(encoder: Encoder, texts: Sequence[str]) -> CosineParts:
    """Split the mean cosine of all pairs of tokens of different texts, without special tokens."""
    shape = (encoder.bert.num_hidden_layers + 1, size := encoder.bert.hidden_size)
    units, counts = np.zeros((len(texts), *shape)), np.zeros(len(texts))
    sums = np.zeros((2, *shape))
    for index, states in encoder.iter_hidden_states([tokenize(encoder.bert, one) for one in texts]):
        tokens = states[:, 1:-1].astype(np.float64)
        units[index], counts[index] = unit_rows(tokens).sum(axis=1), tokens.shape[1]
        sums += tokens.sum(axis=1), (tokens**2).sum(axis=1)
    mean, square = sums / counts.sum()
    axes = np.linalg.qr(np.random.default_rng(0).standard_normal((size, size)))[0]
    # All pairs of tokens, less those within a text.
    parts, turned = (own.sum(axis=0) ** 2 - (own**2).sum(axis=0) for own in (units, units @ axes))
    pairs = counts.sum() ** 2 - (counts**2).sum()
    largest = np.argsort(-parts, axis=1)[:, :3]
    deviation = np.sqrt((square - mean**2).clip(0))
    return CosineParts(parts / pairs, turned / pairs, mean, deviation, largest)
