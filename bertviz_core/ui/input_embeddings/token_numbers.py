"""The numbers of one token, part by part, and those of all tokens as a file."""

import numpy as np
import streamlit as st

from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.tokens import TokenizedText
from bertviz_core.ui import inputs
from bertviz_core.ui.show import Columns, csv_download, table


def token_numbers(text: TokenizedText, parts: InputEmbeddings) -> None:
    """Ask for a token and list its numbers."""
    st.subheader("The numbers", anchor=False)
    position = token_position(text)
    st.text(
        f"{text.tokens[position]}   id {text.input_ids[position]}, "
        f"segment {'AB'[int(text.token_type_ids[position])]}, position {position}"
    )
    table(
        {
            "dimension": np.arange(parts.word.shape[1]),
            "token": parts.word[position],
            "segment": parts.token_type[position],
            "position": parts.position[position],
            "sum": parts.summed[position],
            "after LayerNorm": parts.output[position],
        },
        name=f"token-{position}",
        decimals=4,
    )
    csv_download("All tokens as CSV", lambda: _all_numbers(text, parts), name="input-embeddings")


def token_position(text: TokenizedText) -> int:
    """Ask for the position of a token; at first the one after [CLS]."""
    last = len(text) - 1
    # A slider has two ends, also where a tokenizer without [CLS] and [SEP] leaves one token.
    return min(inputs.number("Token at position", 0, max(last, 1), min(1, last), key="token"), last)


def _all_numbers(text: TokenizedText, parts: InputEmbeddings) -> Columns:
    seq_len, size = parts.word.shape
    return {
        "position": np.repeat(text.position_ids, size),
        "token": np.repeat(np.array(text.tokens, dtype=object), size),
        "token_id": np.repeat(text.input_ids, size),
        "segment": np.repeat(text.token_type_ids, size),
        "dimension": np.tile(np.arange(size), seq_len),
        "word_embedding": parts.word.ravel(),
        "token_type_embedding": parts.token_type.ravel(),
        "position_embedding": parts.position.ravel(),
        "summed_embedding": parts.summed.ravel(),
        "output_embedding": parts.output.ravel(),
    }
