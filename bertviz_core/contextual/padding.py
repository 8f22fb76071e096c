"""What changes where [PAD] follows a text, as in a batch."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import TokenizedText

ROUNDING = 1e-5  # numbers around 1 differ by less where only the rounding of float32 does


class PaddedText(NamedTuple):
    """A padded text beside the text alone; float32 (2, ...), with attention_mask and without."""

    text: TokenizedText  # with padding, whose attention_mask is 0
    rounding: float  # a smaller difference is rounding
    differences: Array  # (2, num_hidden_layers + 1), the largest between the two texts
    to_padding: Array  # (2, num_hidden_layers), the attention of the text's tokens to [PAD]
    from_padding: Array  # (2, seq_len), the attention of [PAD], mean over layers, heads and [PAD]


def padded_text(encoder: Encoder, text: TokenizedText, count: int) -> PaddedText:
    """Run a text alone, then with `count` padding tokens, with attention_mask and without."""
    alone = encoder.hidden_states(text)
    real = len(text)
    both = [_padded(encoder, text, count, mask) for mask in (0, 1)]
    differences = []
    to_padding = []
    from_padding = []
    for padded in both:
        states = encoder.hidden_states(padded)[:, :real]
        differences.append(np.abs(states - alone).max(axis=(1, 2)))
        # (num_hidden_layers, tokens that ask, seq_len), mean over heads
        weights = encoder.attention(padded, range(real + count)).mean(axis=1, dtype=np.float64)
        to_padding.append(weights[:, :real, real:].sum(axis=2).mean(axis=1))
        from_padding.append(weights[:, real:].mean(axis=(0, 1)))
    rounding = ROUNDING * max(float(np.abs(alone).max()), 1.0)
    return PaddedText(both[0], rounding, *map(frozen, (differences, to_padding, from_padding)))


def _padded(encoder: Encoder, text: TokenizedText, count: int, mask: int) -> TokenizedText:
    """The text with padding: segment 0, the next positions, `mask` as its attention_mask."""
    row = encoder.bert.padding_row or 0
    none = np.zeros(count, np.int64)
    return replace(
        text,
        tokens=(*text.tokens, *[encoder.bert.vocabulary.tokens[row]] * count),
        input_ids=np.append(text.input_ids, none + row),
        token_type_ids=np.append(text.token_type_ids, none),
        position_ids=np.arange(len(text) + count),
        attention_mask=np.append(text.attention_mask, none + mask),
        offsets=np.pad(text.offsets, ((0, count), (0, 0))),
        word_ids=(*text.word_ids, *[None] * count),
    )
