"""The pieces of a word become one vector before anything leaves torch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

Pooling = Literal["mean", "first", "last", "max"]


def pooled_words(
    hidden_states: Sequence["torch.Tensor"],
    words: Sequence[tuple[int, Sequence[int]]],
    pooling: Pooling,
) -> NDArray[np.float32]:
    """Pick words out of a batch and pool each one's pieces, layer by layer.

    Args:
        hidden_states: One float32 (batch, longest, hidden_size) for each layer.
        words: Of each of n words the row of its text and the positions of its pieces, at least
            one.
        pooling: "mean", "first", "last", or in each dimension the "max".

    Returns:
        float32 (n, layers, hidden_size).
    """
    import torch

    if pooling in ("first", "last"):
        end = 0 if pooling == "first" else -1
        words = [(row, (pieces[end],)) for row, pieces in words]
    lengths = torch.tensor([len(pieces) for _, pieces in words])
    rows = torch.tensor([row for row, pieces in words for _ in pieces])
    positions = torch.tensor([position for _, pieces in words for position in pieces])
    found = np.empty((len(words), len(hidden_states), hidden_states[0].shape[-1]), np.float32)
    for layer, states in enumerate(hidden_states):
        picked = states[rows, positions]  # (pieces of all words, hidden_size)
        if len(picked) > len(words):
            reduce = "max" if pooling == "max" else "mean"
            picked = torch.segment_reduce(picked, reduce, lengths=lengths)
        found[:, layer] = picked.numpy()
    return found
