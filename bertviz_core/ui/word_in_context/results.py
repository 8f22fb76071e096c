"""Results of the page on a word in context, shared by all viewers; keys are plain values only."""

from dataclasses import dataclass

import streamlit as st

from bertviz_core.contextual import WordInContext, influence, lens
from bertviz_core.contextual import neighbors as context_neighbors
from bertviz_core.contextual import words as contextual
from bertviz_core.contextual.influence import Change, ChangedContexts
from bertviz_core.contextual.lens import Lens
from bertviz_core.contextual.neighbors import ContextNeighbors
from bertviz_core.contextual.words import Pooling
from bertviz_core.ui import calibrations as ruler_cache
from bertviz_core.ui.gate import forward_gate
from bertviz_core.ui.results import loaded_encoder, opened_bert


@dataclass(frozen=True)
class Asked:
    """What the page asks for, as plain values: the key of all its results.

    Attributes:
        anchors: Marked anchor words, `[snake]`.
        sentences: Sentences with marks.
        pooling: How pieces become one vector.
        most: How many words of the sentences to follow.
    """

    anchors: tuple[str, ...]
    sentences: tuple[str, ...]
    pooling: Pooling
    most: int


def words_in_context(name: str, asked: Asked) -> tuple[list[WordInContext], list[WordInContext]]:
    """Run sentences and anchors through a model: the marked words, and the anchors."""
    with forward_gate():
        found = _words(name, asked)
    return found[len(asked.anchors) :], found[: len(asked.anchors)]


def changed_contexts(name: str, asked: Asked, place: int, change: Change) -> ChangedContexts:
    """Take each other word away; see `influence.changed_contexts`.

    Args:
        name: The model.
        asked: What the page shows.
        place: Number of the word among those of the sentences.
        change: "mask" or "drop".
    """
    with forward_gate():
        return _changed_contexts(name, asked, place, change)


def neighbors_in_context(name: str, asked: Asked, place: int) -> ContextNeighbors:
    """Compare a word with all tokens of the sentences; see `context_neighbors`.

    Centred as well once the model's ruler is there.
    """
    ruled = ruler_cache.measurement(name).calibration is not None
    with forward_gate():
        return _neighbors_in_context(name, asked, place, ruled)


# No torch here, so no gate.
@st.cache_data(max_entries=64, max_size="16MB", show_spinner=False)
def nearest_rows(name: str, asked: Asked, place: int, k: int, centred: bool) -> Lens:
    """Compare a word's layers with the token table; see `lens.nearest_rows_by_layer`."""
    word = _words(name, asked)[len(asked.anchors) + place]
    own = word.text.input_ids[list(word.token_positions)].tolist()
    return lens.nearest_rows_by_layer(
        opened_bert(name), word.vectors, own, k, _layer_means(name) if centred else None
    )


@st.cache_data(max_entries=64, max_size="64MB", show_spinner=False)
def _words(name: str, asked: Asked) -> list[WordInContext]:
    return contextual.marked_words_in_context(
        loaded_encoder(name),
        (*asked.anchors, *asked.sentences),
        asked.pooling,
        len(asked.anchors) + asked.most,
    )


@st.cache_data(max_entries=32, max_size="64MB", show_spinner=False)
def _changed_contexts(name: str, asked: Asked, place: int, change: Change) -> ChangedContexts:
    word = _words(name, asked)[len(asked.anchors) + place]
    return influence.changed_contexts(loaded_encoder(name), word, change, asked.pooling)


@st.cache_data(max_entries=32, max_size="64MB", show_spinner=False)
def _neighbors_in_context(name: str, asked: Asked, place: int, ruled: bool) -> ContextNeighbors:
    words = _words(name, asked)[len(asked.anchors) :]
    texts = list({id(word.text): word.text for word in words}.values())
    return context_neighbors.neighbors_in_context(
        loaded_encoder(name), words[place], texts, _layer_means(name) if ruled else None
    )


def _layer_means(name: str) -> contextual.Array | None:
    calibration = ruler_cache.measurement(name).calibration
    return None if calibration is None else calibration.means
