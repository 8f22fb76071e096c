"""BERT's embedding layer, part by part: three look-ups, a sum, a LayerNorm."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

import numpy as np

from bertviz_core.arrays import Array, layer_norm, read_only
from bertviz_core.bert import Bert
from bertviz_core.errors import expect_each
from bertviz_core.result import Result
from bertviz_core.tokens import TokenizedText


@dataclass(frozen=True, eq=False, repr=False)
class InputEmbeddings(Result):
    """What enters BERT's first layer, and the parts it is the sum of.

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

    def arrays(self) -> dict[str, Array]:
        """The five by their names."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def columns(self) -> dict[str, Any]:
        """One row a token and dimension (long form), one column a part.

        For one column a dimension take an array itself: `pandas.DataFrame(parts.output)`.
        """
        seq_len, hidden_size = self.word.shape
        return {
            "position": np.repeat(np.arange(seq_len), hidden_size),
            "dimension": np.tile(np.arange(hidden_size), seq_len),
            **{f"{name}_embedding": part.ravel() for name, part in self.arrays().items()},
        }

    def _summary(self) -> str:
        seq_len, hidden_size = self.word.shape
        return f"{seq_len:,} tokens x {hidden_size:,}: {', '.join(self.arrays())}"


@overload
def input_embeddings(bert: Bert, text: TokenizedText) -> InputEmbeddings: ...
@overload
def input_embeddings(bert: Bert, text: Sequence[TokenizedText]) -> list[InputEmbeddings]: ...
def input_embeddings(
    bert: Bert, text: TokenizedText | Sequence[TokenizedText]
) -> InputEmbeddings | list[InputEmbeddings]:
    """Look up the embeddings that enter BERT's first layer, part by part.

    Args:
        bert: The checkpoint to read the tables from.
        text: A sequence of seq_len tokens, from `tokenize`, or a list of such.

    Returns:
        Five float32 arrays of shape (seq_len, hidden_size), row i for token i. No unit.
        Of a list of texts a list.

    Raises:
        TypeError: `text` is not tokenized.
        UserInputError: `text` was tokenized for another checkpoint, an id is out of range, or the
            model knows one segment only and the text is a pair.

    References:
        Devlin et al. (2019), section 3, figure 2; `BertEmbeddings` in transformers.

    Example:
        >>> from bertviz_core.tokens import tokenize
        >>> parts = input_embeddings(bert, tokenize(bert, "I love pythons"))
        >>> parts.output.shape  # 6 tokens
        (6, 384)
    """
    if not isinstance(text, TokenizedText):
        texts = expect_each(text, TokenizedText, "a TokenizedText, or a list of them")
        return [input_embeddings(bert, one) for one in texts]
    text.check_for(bert)
    tables = bert.tables
    word = tables.word_embeddings[text.input_ids]
    token_type = tables.token_type_embeddings[text.token_type_ids]
    position = tables.position_embeddings[text.position_ids]
    # The library adds in this order; in any other the sum differs in its last bits.
    summed = word + token_type + position
    norm = layer_norm(summed, tables.layer_norm_weight, tables.layer_norm_bias, bert.layer_norm_eps)
    output = norm.output.astype(np.float32)
    return InputEmbeddings(*map(read_only, (word, token_type, position, summed, output)))


def one_hot_product(table: Array, row: int) -> Array:
    """Multiply the one-hot vector of a row with the whole table: (hidden_size,), in float32."""
    one_hot = np.zeros(len(table), np.float32)
    one_hot[row] = 1
    return read_only(one_hot @ table)
