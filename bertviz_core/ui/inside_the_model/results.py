"""Results of the page on the inside of a model, shared by all viewers."""

import streamlit as st

from bertviz_core.checkpoints import parameters, tensors
from bertviz_core.checkpoints.parameters import Census
from bertviz_core.checkpoints.settings import initial_spread
from bertviz_core.checkpoints.tensors import TensorStatistics
from bertviz_core.contextual.marks import read_word_pair
from bertviz_core.embeddings.random_init import RandomInitComparison, random_init_comparison
from bertviz_core.encoder import Encoder, pooler, training
from bertviz_core.encoder.pooler import PoolerSteps
from bertviz_core.encoder.training import BackwardPass
from bertviz_core.figures.inside.norms import norms_picture
from bertviz_core.tokens import InputText
from bertviz_core.ui.results import encoder_result, models


@st.cache_data(max_entries=8, max_size="8MB", show_spinner=False)
def census_of(name: str) -> Census:
    """Count a model's parameters; see `checkpoints.parameters.count_parameters`."""
    bert = models.bert(name)
    return parameters.count_parameters(bert.checkpoint, bert.num_hidden_layers)


@st.cache_data(max_entries=64, max_size="16MB", show_spinner=False)
def statistics_of(name: str, parameter: str) -> TensorStatistics:
    """Describe one tensor of a model; see `checkpoints.tensors.tensor_statistics`."""
    return tensors.tensor_statistics(models.bert(name).checkpoint, parameter)


@st.cache_data(max_entries=8, max_size="1MB", show_spinner=False)
def tables_beside_fresh(
    name: str,
) -> tuple[RandomInitComparison, RandomInitComparison, RandomInitComparison]:
    """Set the token, position and segment table beside fresh ones; see `random_init_comparison`."""
    bert = models.bert(name)
    tables, spread = bert.tables, initial_spread(bert.settings)
    return (
        random_init_comparison(tables.word_embeddings, spread),
        random_init_comparison(tables.position_embeddings, spread),
        random_init_comparison(tables.token_type_embeddings, spread),
    )


@st.cache_data(max_entries=16, max_size="4MB", show_spinner=False)
def picture_of_norms(name: str, shown: tuple[int, ...]) -> str:
    """Draw the lengths of rows of some kinds; see `figures.inside.norms.norms_picture`."""
    bert = models.bert(name)
    return norms_picture(bert.tables.word_norms, bert.vocabulary.kinds, shown)


@encoder_result(max_entries=32, max_size="8MB", library=True)
def pooler_steps(encoder: Encoder, text: InputText) -> PoolerSteps:
    """Follow a text through the pooler; see `encoder.pooler.pooler_steps`."""
    return pooler.pooler_steps(encoder, text.tokenize(encoder.bert))


@encoder_result(max_entries=32, library=True)
def backward_pass(encoder: Encoder, text: InputText) -> BackwardPass:
    """Pull the two marked words of a text together; see `encoder.training.backward_pass`."""
    pair = read_word_pair(encoder.bert, text.text, text.text_pair)
    return training.backward_pass(encoder, pair.text, pair.first_positions, pair.second_positions)
