"""The numbers of one token, part by part, and those of all tokens."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.csv_files import Columns
from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.tokens import TokenizedText
from bertviz_core.ui.show import table


def token_numbers(text: TokenizedText, parts: InputEmbeddings, position: int) -> None:
    """List the numbers of one token."""
    st.text(
        f"{text.tokens[position]}   id {text.input_ids[position]}, "
        f"segment {'AB'[int(text.token_type_ids[position])]}, position {position}"
    )
    st.caption("Tap another token above to see its numbers.")
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


def arrays_of(text: TokenizedText, parts: InputEmbeddings) -> dict[str, Any]:
    """The five matrices, and the token of each of their rows, as arrays."""
    return {
        "tokens": list(text.tokens),
        "input_ids": text.input_ids,
        "token_type_ids": text.token_type_ids,
        "position_ids": text.position_ids,
        **parts.arrays(),
    }


def all_numbers(text: TokenizedText, parts: InputEmbeddings) -> Columns:
    """Every number of the five matrices, one a token and dimension, as a table."""
    size = parts.word.shape[1]
    return {
        "position": np.repeat(text.position_ids, size),
        "token": np.repeat(np.array(text.tokens, dtype=object), size),
        "token_id": np.repeat(text.input_ids, size),
        "segment": np.repeat(text.token_type_ids, size),
        **parts.columns(),
    }
