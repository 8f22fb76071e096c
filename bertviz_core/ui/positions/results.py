"""Results on the position table and on changed positions, shared by all viewers."""

from dataclasses import dataclass

import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.encoder import Encoder
from bertviz_core.figures.embeddings.stack import saturation_limit
from bertviz_core.figures.raster import signed_png, similarity_png
from bertviz_core.positions import baselines, changes, likeness
from bertviz_core.positions import table as positions
from bertviz_core.positions.changes import Change
from bertviz_core.positions.likeness import LikenessWithBaselines
from bertviz_core.positions.table import PositionAnalysis
from bertviz_core.tokens import InputText
from bertviz_core.ui.results import encoder_result, models


@dataclass(frozen=True, eq=False)
class Moved:
    """What a change of positions or segments did to a text.

    Attributes:
        by_layer: float32 (num_hidden_layers + 1, seq_len), from `changes.change_by_layer`.
        apart: float32 (num_hidden_layers + 1,), from `changes.apart_by_layer`, to compare with.
    """

    by_layer: Array
    apart: Array


@st.cache_resource(max_entries=2, show_spinner=False)
def position_analysis(name: str) -> PositionAnalysis:
    """The position table of a model; see `positions.analyse_positions`."""
    return positions.analyse_positions(models.bert(name).tables.position_embeddings)


@st.cache_resource(max_entries=2, show_spinner=False)
def sinusoid_analysis(count: int, hidden_size: int) -> PositionAnalysis:
    """The sinusoidal table of the same shape; see `baselines.sinusoidal_table`."""
    return positions.analyse_positions(baselines.sinusoidal_table(count, hidden_size))


@st.cache_resource(max_entries=4, show_spinner=False)
def explained_by_chance(count: int, hidden_size: int) -> float:
    """What distance explains in a table of random numbers; see `positions.explained_by_chance`."""
    return positions.explained_by_chance(count, hidden_size)


@st.cache_resource(max_entries=2, show_spinner=False)
def explained_by_smoothness(name: str) -> Array:
    """What distance explains in tables as smooth; see `positions.explained_by_smoothness`."""
    return positions.explained_by_smoothness(models.bert(name).tables.position_embeddings)


@st.cache_resource(max_entries=2, show_spinner=False)
def wave_shares(name: str) -> tuple[Array, Array, Array, Array]:
    """Shares of waves: a model's positions, sinusoids, a random walk, random numbers."""
    table = models.bert(name).tables.position_embeddings
    return (
        baselines.wave_shares(table),
        baselines.wave_shares(baselines.sinusoidal_table(*table.shape)),
        baselines.wave_shares(baselines.random_walk(*table.shape)),
        baselines.wave_shares(baselines.random_table(*table.shape)),
    )


@st.cache_resource(max_entries=2, show_spinner=False)
def sinusoid_likeness(name: str) -> LikenessWithBaselines:
    """A model's positions against sinusoids; see `likeness.likeness_with_baselines`."""
    table = models.bert(name).tables.position_embeddings
    return likeness.likeness_with_baselines(table, baselines.sinusoidal_table(*table.shape))


@st.cache_resource(max_entries=2, show_spinner=False)
def sinusoidal_table(count: int, hidden_size: int) -> Array:
    """The table of sinusoids; see `baselines.sinusoidal_table`."""
    return baselines.sinusoidal_table(count, hidden_size)


@st.cache_data(max_entries=4, max_size="4MB", show_spinner=False)
def picture_of_cosines(model: str, table: str, low: float, _similarity: Array) -> str:
    """The cosines within a table of a model's shape as a picture; see `raster.similarity_png`."""
    return similarity_png(_similarity, low)


@st.cache_data(max_entries=4, max_size="4MB", show_spinner=False)
def picture_of_table(model: str, table: str, _values: Array) -> tuple[str, float]:
    """A table of a model's shape as a picture, and where its colours end; see `raster`."""
    limit = saturation_limit(_values)
    return signed_png(_values, limit), limit


# Long texts of a large model take 50 MB here; the text on the screen is the one asked for again.
@encoder_result(max_entries=1, max_size="64MB")
def hidden_states(encoder: Encoder, text: InputText) -> Array:
    """A text as it is, at all layers; see `Encoder.hidden_states`."""
    return encoder.hidden_states(text.tokenize(encoder.bert))


@encoder_result(max_entries=32)
def _moved(
    encoder: Encoder, text: InputText, change: Change, shift: int, order: int, _before: Array
) -> Moved:
    tokenized = text.tokenize(encoder.bert)
    changed = changes.changed_text(encoder.bert, tokenized, change, shift=shift, order=order)
    after = encoder.hidden_states(changed)
    return Moved(changes.change_by_layer(_before, after), changes.apart_by_layer(_before))


def moved(name: str, text: InputText, change: Change, shift: int, order: int) -> Moved:
    """Run a text as it is and with one change; see `positions.changes`.

    Raises:
        UserInputError: The change is not possible for this text.
    """
    return _moved(name, text, change, shift, order, hidden_states(name, text))
