"""Follow one word through every layer, in sentences that use it differently."""

import streamlit as st

from bertviz_core.ui import frame, inputs, links, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_in_context import sections as context_closer
from bertviz_core.ui.word_in_context import similarity as views
from bertviz_core.ui.word_in_context import words as context_words

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
        anchors = context_words.split_anchors(
            inputs.sentence(
                "Anchor words, separated by commas", "snake, programming", key="anchors"
            )
        )
        pooling = inputs.choice(
            "A word of several pieces: pool by",
            context_words.POOLING_CHOICES,
            key="pooling",
            help="How the vectors of a word's pieces become one: their mean, the first or the "
            "last piece, or the largest value in each dimension.",
        )
    links.examples(
        "Word_in_Context",
        "Try",
        {
            "bank": {
                "s": "We sat on the [bank] of the river\nShe went to the [bank] for a loan",
                "anchors": "shore, money",
            },
            "bat": {
                "s": "A [bat] flew out of the cave\nHe swung the [bat] at the ball",
                "anchors": "animal, club",
            },
            "right": {
                "s": "Turn [right] at the corner\nYou are [right] about that\nIt is my [right]",
                "anchors": "left, correct, law",
            },
            "which word did it?": {"deeper": "which context word did it?"},
            "a word in pieces": {
                "s": "Their [awesomesauce] tastes of pepper\nThat goal was [awesomesauce]",
                "anchors": "ketchup, great",
                "deeper": "pieces and pooling",
            },
        },
    )

with errors_shown():
    top = slots.part("top")
    # Before the encoder is loaded: on a first visit the ruler waits for a click, because measuring
    # it takes 70 MB more.
    calibration = ruler(bert)
    with top:
        compared = context_words.run(bert, sentences, anchors, pooling)
        layer = views.chosen_layer(bert)
        views.nearest_anchor_finding(compared, layer, calibration)
        views.similarity_table(compared, layer, calibration)
    st.subheader("Layer by layer", anchor=False)
    views.layer_curves(compared, layer, calibration)
    left, right = st.columns(2, gap="medium")
    with left:
        views.between_sentences(compared, layer, calibration)
    with right:
        views.occurrence_matrix(compared, layer, calibration)
    views.curve_table(compared, calibration)
    views.show_code(compared, layer)
    context_closer.look_closer(compared, layer, calibration)
