"""Results of the page on the inside of a model, shared by all viewers."""

import streamlit as st

from bertviz_core.checkpoints import parameters as census
from bertviz_core.checkpoints import tensors as tensor_statistics
from bertviz_core.checkpoints.parameters import Census
from bertviz_core.checkpoints.tensors import TensorStatistics
from bertviz_core.contextual import word_pair
from bertviz_core.encoder import pooler, training
from bertviz_core.encoder.pooler import PoolerSteps
from bertviz_core.encoder.training import BackwardPass
from bertviz_core.tokens import tokenized_text as tokens
from bertviz_core.ui.results import library_gate, loaded_encoder, opened_bert


@st.cache_data(max_entries=8, max_size="8MB", show_spinner=False)
def census_of(name: str) -> Census:
    """Count a model's parameters; see `census.count_parameters`."""
    return census.count_parameters(opened_bert(name).checkpoint)


@st.cache_data(max_entries=64, max_size="16MB", show_spinner=False)
def statistics_of(name: str, parameter: str) -> TensorStatistics:
    """Describe one tensor of a model; see `tensor_statistics.tensor_statistics`."""
    return tensor_statistics.tensor_statistics(opened_bert(name).checkpoint, parameter)


def pooler_steps(name: str, text: str) -> PoolerSteps:
    """Follow a text through the pooler; see `encoder.pooler.pooler_steps`."""
    with library_gate(name):
        return _pooler_steps(name, text)


def backward_pass(name: str, marked: str, text_pair: str | None) -> BackwardPass:
    """Pull two words of a text together; see `encoder.training.backward_pass`."""
    with library_gate(name):
        return _backward_pass(name, marked, text_pair)


@st.cache_data(max_entries=32, max_size="8MB", show_spinner=False)
def _pooler_steps(name: str, text: str) -> PoolerSteps:
    loaded = loaded_encoder(name)
    return pooler.pooler_steps(loaded, tokens.tokenize(loaded.bert, text))


@st.cache_data(max_entries=32, max_size="16MB", show_spinner=False)
def _backward_pass(name: str, marked: str, text_pair: str | None) -> BackwardPass:
    loaded = loaded_encoder(name)
    pair = word_pair.read_word_pair(loaded.bert, marked, text_pair)
    return training.backward_pass(loaded, pair.text, pair.first_positions, pair.second_positions)
