"""The batches in which texts run, and their tensors."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from bertviz_core.arrays import Array, read_only
from bertviz_core.errors import UserInputError, expect
from bertviz_core.tokens import TokenizedText

if TYPE_CHECKING:
    import torch

    Batch = dict[str, torch.Tensor]

Pooling = Literal["mean", "first", "last", "max"]
POOLINGS: tuple[Pooling, ...] = ("mean", "first", "last", "max")

BATCH = 128  # texts at most
# Tokens at most, with padding: fewer leave the processor idle, more only take memory.
BATCH_TOKENS = 2048
BATCH_BYTES = 24_000_000  # of hidden states: a batch of a large model has fewer tokens
# A GPU needs more. BERT-base's hidden states of such a batch take 0.7 GB of its memory.
GPU_BATCH_TOKENS = 16_384
SHORT = 16  # tokens: of texts as short, a batch of more tokens may have more than BATCH
_TENSORS = ("input_ids", "token_type_ids", "position_ids", "attention_mask")


def check_pooling(pooling: str) -> None:
    """Raise a UserInputError for a pooling that is not one of `POOLINGS`."""
    if expect(pooling, str, "a pooling as a str") not in POOLINGS:
        raise UserInputError(f"There is no pooling “{pooling}”; choose {', '.join(POOLINGS)}.")


def tokens_a_batch(hidden_size: int, layers: int, *, on_gpu: bool = False) -> int:
    """How many tokens, with padding, a batch of a model with such hidden states may have."""
    if on_gpu:
        return GPU_BATCH_TOKENS
    return min(BATCH_TOKENS, BATCH_BYTES // (4 * hidden_size * layers))


def batches_by_length(
    texts: Sequence[TokenizedText], max_tokens: int = BATCH_TOKENS
) -> Iterator[list[int]]:
    """Indices of texts of similar length, so that little is padded; the longest texts first."""
    max_texts = max(BATCH, max_tokens // SHORT)
    group: list[int] = []
    for index in sorted(range(len(texts)), key=lambda i: -len(texts[i])):
        # The first of a group is its longest: all others are padded to it.
        if group and (
            len(group) == max_texts or (len(group) + 1) * len(texts[group[0]]) > max_tokens
        ):
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def batch_tensors(texts: Sequence[TokenizedText]) -> "Batch":
    """Texts padded to one length, as arguments of `BertModel`: int64 (batch, longest) each."""
    import torch

    longest = max(len(text) for text in texts)
    batch: Batch = {}
    for name in _TENSORS:
        # Padding is [PAD] = 0 in every tensor; the mask keeps it out of attention.
        rows = np.zeros((len(texts), longest), dtype=np.int64)
        for row, text in zip(rows, texts, strict=True):
            row[: len(text)] = getattr(text, name)
        batch[name] = torch.from_numpy(rows)
    return batch


def to_numpy(tensor: "torch.Tensor") -> Array:
    """A new tensor as a read-only float32 array; one of the CPU in float32 is not copied."""
    return read_only(tensor.cpu().float().numpy())
