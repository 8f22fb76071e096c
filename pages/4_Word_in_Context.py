"""Follow one word through every layer, in sentences that use it differently."""

import streamlit as st

from bertviz_core.ui import frame, inputs, links, sections, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.percentiles import find_calibration
from bertviz_core.ui.word_in_context import (
    influence,
    lens,
    neighbors,
    percentiles,
    pieces,
    second_model,
    similarity,
    words,
)

bert = frame.page(
    "Word in Context",
    "How does context change a word?",
    "BERT starts from the same row for a word in every sentence and moves it layer by "
    r"layer. Put the word to follow in brackets (`\[` for a literal one); compare it with anchors.",
    icon=":material/compare_arrows:",
)

with slots.panel("sentences"):
    left, right = slots.row("sentences", [3, 2])
    with left:
        sentences = inputs.lines(
            "Sentences, one a line, the word in [brackets]",
            "I love my pet [python]\nI love coding in [python]",
            key="s",
            help="Several words may be marked, in one sentence as well: "
            "the [bank] of the river by the [bank].",
        )
    with right:
        anchors = words.split_anchors(
            inputs.sentence(
                "Anchor words, separated by commas", "snake, programming", key="anchors"
            )
        )
        pooling = inputs.choice(
            "A word of several pieces: pool by",
            words.POOLING_CHOICES,
            key="pooling",
            help="How the vectors of a word's pieces become one: their mean, the first or the "
            "last piece, or the largest value in each dimension.",
        )
    links.examples("Word_in_Context", "Try", words.EXAMPLES)

with errors_shown():
    top = slots.part("top")
    # Before the encoder is loaded: on a first visit measuring waits for a click, because it takes
    # 70 MB more.
    calibration = find_calibration(bert)
    with top:
        compared = words.compare(bert, sentences, anchors, pooling, calibration)
        compared = compared.at(words.choose_layer(bert))
        similarity.nearest_anchors(compared)
        similarity.similarity_table(compared)
    st.subheader("Layer by layer", anchor=False)
    similarity.layer_curves(compared)
    left, right = st.columns(2, gap="medium")
    with left:
        similarity.between_words(compared)
    with right:
        similarity.matrix(compared)
    similarity.curve_table(compared)
    similarity.matrix_code(compared)
    sections.below(
        {
            sections.INFLUENCE: lambda: influence.which_word(compared),
            sections.LENS: lambda: lens.looks_like(compared),
            sections.NEIGHBORS: lambda: neighbors.in_context(compared),
            sections.PERCENTILES: lambda: percentiles.on_percentile_scale(compared),
            sections.PIECES: lambda: pieces.pieces_and_pooling(compared),
            sections.SECOND_MODEL: lambda: second_model.second_model(compared),
        },
        key="deeper",
        open_first=False,
    )
