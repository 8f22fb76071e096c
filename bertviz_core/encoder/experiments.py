"""The model run on positions and segments other than a text's own."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    from bertviz_core.encoder.model import Array, Encoder
    from bertviz_core.tokens import TokenizedText

Ids = NDArray[np.int64]


def hidden_states_changed(
    encoder: "Encoder",
    text: "TokenizedText",
    *,
    position_ids: Ids | None = None,
    token_type_ids: Ids | None = None,
) -> "Array":
    """Run a text through the model with other positions or segments.

    Args:
        encoder: The model to run.
        text: seq_len tokens, from `tokenize` for the same checkpoint.
        position_ids: int64 (seq_len,), each 0 to max_position_embeddings - 1, equal ones allowed;
            None keeps 0, 1, 2, ...
        token_type_ids: int64 (seq_len,), each 0 to type_vocab_size - 1; None keeps the text's.

    Returns:
        float32 (num_hidden_layers + 1, seq_len, hidden_size), read-only, as of
        `Encoder.hidden_states`; column i still belongs to token i.

    Raises:
        UserInputError: There is not one id a token, the model has no such position or segment, or
            `text` was tokenized for another checkpoint.

    References:
        `BertModel(..., position_ids=..., token_type_ids=...)` in transformers.
    """
    bert = encoder.bert
    return encoder.hidden_states(
        replace(
            text,
            position_ids=_checked(
                position_ids, text.position_ids, "position", bert.max_position_embeddings
            ),
            token_type_ids=_checked(
                token_type_ids, text.token_type_ids, "segment", bert.type_vocab_size
            ),
        )
    )


def _checked(ids: Ids | None, own: Ids, what: str, count: int) -> Ids:
    """The ids to use: those asked for, where the model has them, or the text's own."""
    if ids is None:
        return own
    if ids.shape != own.shape:
        raise UserInputError(
            f"There are {ids.size} {what} ids for {own.size} tokens; give one a token."
        )
    if ids.min() < 0 or ids.max() >= count:
        raise UserInputError(
            f"The {what} ids run from {ids.min()} to {ids.max()}; this model has 0 to {count - 1}."
        )
    return ids.astype(np.int64)
