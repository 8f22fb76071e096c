"""Results of the page on a word in context, shared by all viewers."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.contextual import attention, lens, neighbors, occlusion, words
from bertviz_core.contextual.attention import WordAttention
from bertviz_core.contextual.lens import Lens
from bertviz_core.contextual.neighbors import ContextNeighbors
from bertviz_core.contextual.occlusion import OccludedContexts, Removal
from bertviz_core.contextual.predictions import Predictions, predictions_by_layer
from bertviz_core.contextual.words import WordInContext
from bertviz_core.encoder import Encoder, Pooling
from bertviz_core.tokens import TokenizedText
from bertviz_core.ui import calibrations
from bertviz_core.ui.results import encoder_result, models

MOST_WORDS = 12  # of the sentences


@dataclass(frozen=True)
class Comparison:
    """What the page compares, as plain values: the key of all its results.

    Attributes:
        anchors: Marked anchor words, `[snake]`.
        sentences: Sentences with marks.
        pooling: How pieces become one vector.
    """

    anchors: tuple[str, ...]
    sentences: tuple[str, ...]
    pooling: Pooling


@encoder_result(max_entries=64, max_size="64MB")
def anchors_and_words(encoder: Encoder, comparison: Comparison) -> list[WordInContext]:
    """Run sentences and anchors through a model: the anchors, then the first marked words."""
    return words.marked_words_in_context(
        encoder,
        (*comparison.anchors, *comparison.sentences),
        comparison.pooling,
        len(comparison.anchors) + MOST_WORDS,
    )


@encoder_result(max_entries=32, max_size="64MB")
def occluded_contexts(
    encoder: Encoder, comparison: Comparison, number: int, removal: Removal, _word: WordInContext
) -> OccludedContexts:
    """Take each other word away; see `occlusion.occluded_contexts`.

    Args:
        encoder: The model.
        comparison: What the page compares.
        number: Which word it is among those of the sentences.
        removal: "mask" or "drop".
        _word: That word.
    """
    return occlusion.occluded_contexts(encoder, _word, removal, comparison.pooling)


@encoder_result(max_entries=32, max_size="32MB")
def word_attention(
    encoder: Encoder, comparison: Comparison, number: int, _word: WordInContext
) -> WordAttention:
    """Keep what a word attends to; see `attention.word_attention`.

    Args:
        encoder: The model.
        comparison: What the page compares.
        number: Which word it is among those of the sentences.
        _word: That word.
    """
    return attention.word_attention(encoder, _word)


@encoder_result(max_entries=32, max_size="64MB")
def neighbors_in_context(
    encoder: Encoder,
    comparison: Comparison,
    number: int,
    centred: bool,
    _word: WordInContext,
    _texts: Sequence[TokenizedText],
) -> ContextNeighbors:
    """Compare a word with all tokens of the sentences; see `contextual.neighbors`.

    Args:
        encoder: The model.
        comparison: What the page compares.
        number: Which word it is among those of the sentences.
        centred: Whether the model has been measured, so that vectors are compared centred as well.
        _word: That word.
        _texts: The sentences as tokens.
    """
    means = layer_means(encoder.bert.name) if centred else None
    return neighbors.neighbors_in_context(encoder, _word, _texts, means)


@encoder_result(max_entries=64, max_size="16MB")
def predictions(
    encoder: Encoder, comparison: Comparison, number: int, k: int, _word: WordInContext
) -> Predictions:
    """Read a word's layers with the head for masked words; see `predictions.predictions_by_layer`.

    Args:
        encoder: The model; its checkpoint holds the head.
        comparison: What the page compares.
        number: Which word it is among those of the sentences.
        k: How many tokens for each layer.
        _word: That word.
    """
    own = _word.text.input_ids[list(_word.token_positions)].tolist()
    return predictions_by_layer(encoder.bert, _word.vectors, own, k)


# No torch here, so no gate.
@st.cache_data(max_entries=64, max_size="16MB", show_spinner=False)
def nearest_rows(
    name: str, comparison: Comparison, number: int, k: int, centred: bool, _word: WordInContext
) -> Lens:
    """Compare a word's layers with the token table; see `lens.nearest_rows_by_layer`."""
    own = _word.text.input_ids[list(_word.token_positions)].tolist()
    means = layer_means(name) if centred else None
    return lens.nearest_rows_by_layer(models.bert(name), _word.vectors, own, k, means)


def layer_means(name: str) -> Array | None:
    """The mean vector of each layer, from the model's calibration; None before it is measured."""
    calibration = calibrations.known(name)
    return None if calibration is None else calibration.means
