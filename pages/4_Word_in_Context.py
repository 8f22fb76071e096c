"""One word in several sentences, layer by layer."""

import streamlit as st

from bertviz_core.ui import context_views as views
from bertviz_core.ui import frame, inputs, links
from bertviz_core.ui.errors import errors_shown

bert = frame.page(
    "Word in Context",
    "How does context change a word?",
    "BERT starts from the same row for a word in every sentence and moves it layer by "
    r"layer. Put the word to follow in brackets (`\[` for a literal one); compare it with anchors.",
)

with st.container(border=True):
    left, right = st.columns([3, 2])
    with left:
        sentences = inputs.lines(
            "Sentences, one a line, the word in [brackets]",
            "I love my pet [python]\nI love coding in [python]",
            key="s",
        )
    with right:
        anchors = views.split_anchors(
            inputs.sentence(
                "Anchor words, separated by commas", "snake, programming", key="anchors"
            )
        )
        pooling = inputs.choice(
            "A word of several pieces: pool by",
            views.POOLING_CHOICES,
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
        },
    )

with errors_shown():
    words, compared = views.run(bert, sentences, anchors, pooling)
    layer = views.chosen_layer(bert)
    views.nearest_anchor_finding(words, compared, layer)
    views.similarity_table(words, compared, layer)
    st.subheader("Layer by layer", anchor=False)
    views.layer_curves(words, compared, layer)
    left, right = st.columns(2, gap="medium")
    with left:
        views.between_sentences(words, layer)
    with right:
        views.occurrence_matrix(words, compared, layer)
    views.curve_table(words, compared)
    views.show_code(bert, words, compared, pooling, layer)
