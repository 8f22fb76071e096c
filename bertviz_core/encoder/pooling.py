"""The pieces of a word become one vector before anything leaves torch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

Pooling = Literal["mean", "first", "last", "max"]


def wanted_pieces(
    words: Sequence[tuple[int, Sequence[int]]], pooling: Pooling
) -> list[tuple[int, Sequence[int]]]:
    """Leave out the pieces that a pooling does not look at.

    Args:
        words: Of each word the row of its text and the positions of its pieces, at least one.
        pooling: "mean", "first", "last" or "max".
    """
    if pooling == "first":
        return [(row, pieces[:1]) for row, pieces in words]
    if pooling == "last":
        return [(row, pieces[-1:]) for row, pieces in words]
    return list(words)


def pooled_words(
    picked: Sequence["torch.Tensor"], lengths: "torch.Tensor", pooling: Pooling
) -> NDArray[np.float32]:
    """Pool the pieces of each word, layer by layer.

    Args:
        picked: For each layer float32 (pieces of all words, hidden_size), word after word.
        lengths: int64 (n,), how many pieces each word has.
        pooling: "mean", in each dimension the "max", or "first" or "last" where each word has but
            one piece left.

    Returns:
        float32 (n, layers, hidden_size).
    """
    import torch

    found = np.empty((len(lengths), len(picked), picked[0].shape[-1]), np.float32)
    for layer, states in enumerate(picked):
        if len(states) > len(lengths):
            reduce = "max" if pooling == "max" else "mean"
            states = torch.segment_reduce(states, reduce, lengths=lengths)
        found[:, layer] = states.numpy()
    return found
