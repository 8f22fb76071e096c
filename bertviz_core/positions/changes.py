"""How far tokens move when their positions or segments change and the words do not."""

from dataclasses import replace
from typing import Literal

import numpy as np

from bertviz_core.arrays import Array, cosine, read_only, unit_rows
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import TokenizedText

Change = Literal["shift", "shuffle", "zero", "flip segments"]
CHANGES: tuple[Change, ...] = ("shuffle", "shift", "zero", "flip segments")


def changed_text(
    bert: Bert, text: TokenizedText, change: Change, *, shift: int = 1, order: int = 0
) -> TokenizedText:
    """A text with other positions or segments; its tokens do not change.

    Args:
        bert: The checkpoint, for its number of positions and segments.
        text: seq_len tokens, from `tokenize`.
        change: "shift" adds `shift` to every position. "shuffle" puts the positions of the words
            into another order; [CLS] and [SEP] keep theirs. "zero" puts all tokens at position 0.
            "flip segments" swaps the first and the second segment.
        shift: At least 0.
        order: Seed of the order, at least 0, for "shuffle".

    Returns:
        The text with other `position_ids` or `token_type_ids`, read-only.

    Raises:
        UserInputError: The model has no such position or segment, there is nothing to shuffle,
            or the shift is too large, or the change is none of these.

    Example:
        >>> from bertviz_core.tokens import tokenize
        >>> changed_text(bert, tokenize(bert, "the cat sat"), "shift", shift=5).position_ids
        array([5, 6, 7, 8, 9])
    """
    positions = text.position_ids.copy()
    segments = text.token_type_ids.copy()
    if change == "shift":
        room = bert.max_position_embeddings - len(text)
        if not 0 <= shift <= room:
            raise UserInputError(
                f"A shift of {shift} is not possible: the text has {len(text)} tokens, which "
                f"leaves room for a shift of 0 to {room}."
            )
        positions += shift
    elif change == "shuffle":
        words = np.flatnonzero([word is not None for word in text.word_ids])
        if len(words) < 2:
            raise UserInputError("There is nothing to shuffle; type at least two tokens.")
        generator = np.random.default_rng(order)
        permuted = words
        while np.array_equal(permuted, words):
            permuted = generator.permutation(words)
        positions[words] = positions[permuted]
    elif change == "zero":
        positions[:] = 0
    elif change == "flip segments":
        if bert.type_vocab_size < 2:
            raise UserInputError(
                f"{bert.name} has a segment table of one row, so no segment can be flipped."
            )
        segments = np.where(segments < 2, 1 - segments, segments)
    else:
        raise UserInputError(f"There is no change “{change}”; choose {', '.join(CHANGES)}.")
    return replace(text, position_ids=read_only(positions), token_type_ids=read_only(segments))


def change_by_layer(before: Array, after: Array) -> Array:
    """How far each token moved at each layer.

    Args:
        before: (num_hidden_layers + 1, seq_len, hidden_size), hidden states of the text.
        after: The same shape, of the text changed.

    Returns:
        float32 (num_hidden_layers + 1, seq_len), 1 - cosine, in [0, 2]: 0 where nothing changed.

    Raises:
        ValueError: The shapes differ.

    Example:
        >>> from bertviz_core.tokens import tokenize
        >>> text = tokenize(bert, "the cat sat")
        >>> both = text, changed_text(bert, text, "zero")
        >>> change_by_layer(*map(encoder.hidden_states, both))[0].round(2)  # [CLS] stays at 0
        array([0.  , 0.63, 0.37, 0.39, 0.58], dtype=float32)
    """
    if before.shape != after.shape:
        raise ValueError(f"hidden states have shapes {before.shape} and {after.shape}")
    return (1 - cosine(before, after)).astype(np.float32)


def between_tokens_by_layer(states: Array) -> Array:
    """The mean of 1 - cosine over all pairs of tokens: the baseline of `change_by_layer`."""
    count = states.shape[1]
    if count < 2:
        raise UserInputError("A single token has no other to compare with; type at least two.")
    units = unit_rows(states)
    # The sum of the cosines of all pairs is the squared length of the sum.
    pairs = (units.sum(axis=1) ** 2).sum(axis=1) - (units**2).sum(axis=(1, 2))
    return (1 - pairs / (count * (count - 1))).astype(np.float32)
