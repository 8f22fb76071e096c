"""Results on the position table and on changed positions, shared by all viewers."""

from dataclasses import dataclass

import streamlit as st

from bertviz_core.encoder.experiments import hidden_states_changed
from bertviz_core.positions import changes, likeness, sinusoids
from bertviz_core.positions import table as positions
from bertviz_core.positions.changes import Array, Change
from bertviz_core.positions.likeness import LikenessWithRulers
from bertviz_core.positions.table import PositionAnalysis
from bertviz_core.tokens import tokenized_text as tokens
from bertviz_core.ui import results as cache
from bertviz_core.ui.gate import forward_gate


@dataclass(frozen=True, eq=False)
class Moved:
    """What a change of positions or segments did to a text.

    Attributes:
        by_layer: float32 (num_hidden_layers + 1, seq_len), from `changes.change_by_layer`.
        apart: float32 (num_hidden_layers + 1,), from `changes.apart_by_layer`: the ruler.
    """

    by_layer: Array
    apart: Array


@st.cache_data(max_entries=2, show_spinner=False)
def position_analysis(name: str) -> PositionAnalysis:
    """The position table of a model; see `positions.analyse_positions`."""
    return positions.analyse_positions(cache.opened_bert(name).tables.position_embeddings)


@st.cache_data(max_entries=2, show_spinner=False)
def sinusoid_analysis(count: int, hidden_size: int) -> PositionAnalysis:
    """The sinusoidal table of the same shape; see `sinusoids.sinusoidal_table`."""
    return positions.analyse_positions(sinusoids.sinusoidal_table(count, hidden_size))


@st.cache_data(max_entries=4, show_spinner=False)
def explained_by_chance(count: int, hidden_size: int) -> float:
    """The ruler for what distance explains; see `positions.explained_by_chance`."""
    return positions.explained_by_chance(count, hidden_size)


@st.cache_data(max_entries=2, show_spinner=False)
def waves(name: str) -> tuple[Array, Array, Array]:
    """Shares of waves: a model's positions, sinusoids, random numbers; see `wave_shares`."""
    table = cache.opened_bert(name).tables.position_embeddings
    return (
        sinusoids.wave_shares(table),
        sinusoids.wave_shares(sinusoids.sinusoidal_table(*table.shape)),
        sinusoids.wave_shares(positions.random_table(*table.shape)),
    )


@st.cache_data(max_entries=2, show_spinner=False)
def sinusoid_likeness(name: str) -> LikenessWithRulers:
    """A model's positions against sinusoids; see `likeness.likeness_with_rulers`."""
    table = cache.opened_bert(name).tables.position_embeddings
    return likeness.likeness_with_rulers(table, sinusoids.sinusoidal_table(*table.shape))


def moved(
    name: str, text: str, text_pair: str | None, change: Change, shift: int, order: int
) -> Moved:
    """Run a text as it is and with one change; see `changes`.

    Raises:
        UserInputError: The change is not possible for this text.
    """
    with forward_gate():
        return _moved(name, text, text_pair, change, shift, order)


@st.cache_data(max_entries=32, max_size="16MB", show_spinner=False)
def _moved(
    name: str, text: str, text_pair: str | None, change: Change, shift: int, order: int
) -> Moved:
    encoder = cache.loaded_encoder(name)
    tokenized = tokens.tokenize(encoder.bert, text, text_pair)
    places, segments = changes.changed_ids(
        encoder.bert, tokenized, change, shift=shift, order=order
    )
    before = _own_states(name, text, text_pair)
    after = hidden_states_changed(encoder, tokenized, position_ids=places, token_type_ids=segments)
    return Moved(changes.change_by_layer(before, after), changes.apart_by_layer(before))


# Long texts of a large model take 50 MB here; the text on the screen is the one asked for again.
@st.cache_data(max_entries=1, show_spinner=False)
def _own_states(name: str, text: str, text_pair: str | None) -> Array:
    encoder = cache.loaded_encoder(name)
    return encoder.hidden_states(tokens.tokenize(encoder.bert, text, text_pair))
