"""BERT's embedding layer, part by part: three look-ups, a sum, a LayerNorm."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.tokens import TokenizedText

Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class InputEmbeddings:
    """What enters BERT's first layer, and what it is made of.

    Each is float32 (seq_len, hidden_size) and read-only; row i belongs to token i.

    Attributes:
        word: Rows of the token table.
        token_type: Rows of the segment table.
        position: Rows of the position table.
        summed: word + token_type + position, before LayerNorm.
        output: LayerNorm of `summed`: the input embedding, equal to `hidden_states[0]`.
    """

    word: Array
    token_type: Array
    position: Array
    summed: Array
    output: Array


def input_embeddings(bert: "Bert", text: "TokenizedText") -> InputEmbeddings:
    """Look up the embeddings that enter BERT's first layer, part by part.

    Args:
        bert: The checkpoint to read the tables from.
        text: A sequence of seq_len tokens, from `tokenize`.

    Returns:
        Five float32 arrays of shape (seq_len, hidden_size), row i for token i. No unit.

    Raises:
        UserInputError: `text` was tokenized for another checkpoint.

    References:
        Devlin et al. (2019), section 3, figure 2; `BertEmbeddings` in transformers.
    """
    if text.checkpoint != bert.name:
        raise UserInputError(
            f"The text was cut into tokens for {text.checkpoint}, not for {bert.name}; "
            "tokenize it again."
        )
    if text.token_type_ids.max(initial=0) >= bert.type_vocab_size:
        raise UserInputError(
            f"{bert.name} knows {bert.type_vocab_size} segment only; leave the second text empty."
        )
    tables = bert.tables
    word = tables.word_embeddings[text.input_ids]
    token_type = tables.token_type_embeddings[text.token_type_ids]
    position = tables.position_embeddings[text.position_ids]
    # The library's order of addition: in this one the sum is equal to the last bit.
    summed = word + token_type + position
    output = layer_norm(
        summed, tables.layer_norm_weight, tables.layer_norm_bias, bert.layer_norm_eps
    )
    for array in (word, token_type, position, summed, output):
        array.setflags(write=False)
    return InputEmbeddings(word, token_type, position, summed, output)


def layer_norm(values: Array, weight: Array, bias: Array, eps: float) -> Array:
    """Bring each row to mean 0 and variance 1, then scale and shift every dimension.

    Args:
        values: (seq_len, hidden_size).
        weight: (hidden_size,), the learned scale.
        bias: (hidden_size,), the learned shift.
        eps: Added to the variance, against division by zero.

    Returns:
        float32 (seq_len, hidden_size); computed in float64, then rounded once.

    References:
        Ba et al. (2016), "Layer Normalization"; `torch.nn.LayerNorm`.
    """
    exact = values.astype(np.float64)
    centred = exact - exact.mean(axis=1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=1, keepdims=True) + eps)
    return (centred / deviation * weight + bias).astype(np.float32)


def most_variable_dimensions(values: Array, count: int) -> NDArray[np.int64]:
    """Find the dimensions in which the tokens of a text differ most.

    Args:
        values: (seq_len, hidden_size).
        count: How many to return, at most hidden_size.

    Returns:
        int64 (count,), dimensions by falling standard deviation over the tokens; equal ones in
        order of their number.
    """
    spread = values.std(axis=0, dtype=np.float64)
    return np.argsort(-spread, kind="stable")[:count].astype(np.int64)
