"""Results of the model's embedding module, kept; keys are strings and numbers only."""

import streamlit as st

from bertviz_core.encoder import embedding_layer
from bertviz_core.encoder.embedding_layer import DropoutDraws, OrderComparison
from bertviz_core.tokens import tokenized_text as tokens
from bertviz_core.ui.results import library_gate, loaded_encoder


def sums_in_all_orders(name: str, text: str, text_pair: str | None) -> OrderComparison:
    """See `encoder.embedding_layer.sums_in_all_orders`."""
    with library_gate(name):
        return _sums_in_all_orders(name, text, text_pair)


def dropout_draws(
    name: str, text: str, text_pair: str | None, draws: int, seed: int
) -> DropoutDraws:
    """See `encoder.embedding_layer.dropout_draws`."""
    with library_gate(name):
        return _dropout_draws(name, text, text_pair, draws, seed)


@st.cache_data(max_entries=32, max_size="16MB", show_spinner=False)
def _sums_in_all_orders(name: str, text: str, text_pair: str | None) -> OrderComparison:
    loaded = loaded_encoder(name)
    return embedding_layer.sums_in_all_orders(loaded, tokens.tokenize(loaded.bert, text, text_pair))


@st.cache_data(max_entries=32, max_size="64MB", show_spinner=False)
def _dropout_draws(
    name: str, text: str, text_pair: str | None, draws: int, seed: int
) -> DropoutDraws:
    loaded = loaded_encoder(name)
    words = tokens.tokenize(loaded.bert, text, text_pair)
    return embedding_layer.dropout_draws(loaded, words, draws, seed)
