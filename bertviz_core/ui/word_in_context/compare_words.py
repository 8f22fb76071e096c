"""The page below its title: fields, the words compared, and all that is shown at one layer.

What is changed here runs again without the rest of the page; a layer, without the fields as well.
"""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.ui import inputs, links, sections, slots
from bertviz_core.ui.calibrations import measure_beside
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_in_context.attribution import why_alike
from bertviz_core.ui.word_in_context.compared import Compared
from bertviz_core.ui.word_in_context.influence import which_word
from bertviz_core.ui.word_in_context.lens import looks_like
from bertviz_core.ui.word_in_context.neighbors import in_context
from bertviz_core.ui.word_in_context.percentiles import on_percentile_scale
from bertviz_core.ui.word_in_context.pieces import pieces_and_pooling
from bertviz_core.ui.word_in_context.second_model import second_model
from bertviz_core.ui.word_in_context.similarity import (
    between_words,
    curve_table,
    layer_curves,
    matrix,
    matrix_code,
    nearest_anchors,
    say_what_has_none,
    similarity_table,
)
from bertviz_core.ui.word_in_context.words import EXAMPLES, POOLING_CHOICES, compare, split_anchors

SCALES = {"content words": False, "any tokens": True}


@st.fragment
def compare_words(bert: Bert) -> None:
    """Ask for sentences and anchor words, and compare the marked words with them."""
    with errors_shown(stop=False):  # when it runs alone, nobody around it catches them
        with slots.panel("sentences"):
            left, right = st.columns([3, 2])
            with left:
                sentences = inputs.lines(
                    "Sentences, one a line, the word in [brackets]",
                    "I love my pet [python]\nI love coding in [python]",
                    key="s",
                    help="Several words may be marked, in one sentence as well: "
                    "the [bank] of the river by the [bank].",
                )
            with right:
                anchors = split_anchors(
                    inputs.sentence(
                        "Anchor words, separated by commas", "snake, programming", key="anchors"
                    )
                )
                pooling = inputs.choice(
                    "A word of several pieces: pool by",
                    POOLING_CHOICES,
                    key="pooling",
                    help="How the vectors of a word's pieces become one: their mean, the first or "
                    "the last piece, or the largest value in each dimension.",
                )
            links.examples("Word_in_Context", "Try", EXAMPLES)
        words = compare(bert, sentences, anchors, pooling)
        with slots.part("at-layer"):
            _at_chosen_layer(words)


@st.fragment
def _at_chosen_layer(words: Compared) -> None:
    """Ask for a layer, the last one at first, and show the words there."""
    with errors_shown(stop=False):
        last = words.bert.num_hidden_layers
        fields = slots.row("at-layer-fields", [3, 2])
        with fields[0]:
            layer = inputs.number("Layer (0 = input embedding)", 0, last, last, key="layer")
        with fields[1]:
            any_tokens = inputs.choice(
                "Percentiles among pairs of",
                SCALES,
                key="scale",
                help="Content words: one occurrence of each word, from different sentences, cut "
                "into as many pieces and alone or not as the two compared. Any tokens: function "
                "words, signs and pieces as well, one scale for all.",
            )
        compared = words.at(layer, any_tokens=any_tokens)
        nearest_anchors(compared)
        similarity_table(compared)
        say_what_has_none(compared)
        if compared.calibration is None:
            # On a first visit measuring waits for a click, because it takes 70 MB more.
            measure_beside(compared.bert, ask=compared.first_run)
        st.subheader("Layer by layer", anchor=False)
        layer_curves(compared)
        left, right = st.columns(2, gap="medium")
        with left:
            between_words(compared)
        with right:
            matrix(compared)
        curve_table(compared)
        matrix_code(compared)
        sections.below(
            {
                sections.INFLUENCE: lambda: which_word(compared),
                sections.ATTRIBUTION: lambda: why_alike(compared),
                sections.LENS: lambda: looks_like(compared),
                sections.NEIGHBORS: lambda: in_context(compared),
                sections.PERCENTILES: lambda: on_percentile_scale(compared),
                sections.PIECES: lambda: pieces_and_pooling(compared),
                sections.SECOND_MODEL: lambda: second_model(compared),
            },
            key="deeper",
            open_first=False,
        )
