"""The three embeddings that are added for each token, as heatmaps, and the proof."""

import streamlit as st

from bertviz_core.embeddings import input_embeddings
from bertviz_core.tokens import tokenize
from bertviz_core.ui import frame, inputs, links, slots
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.input_embeddings import heatmaps as embedding_views
from bertviz_core.ui.input_embeddings import sections as closer

bert = frame.page(
    "Input Embeddings",
    "What goes into BERT's first layer?",
    "Each token is the sum of three learned rows (which token, which segment, which position), "
    "brought to one scale by LayerNorm. Below are the real rows.",
    icon=":material/layers:",
)

with slots.panel("sentences"):
    left, right = slots.row("sentences", [3, 2])
    with left:
        first = inputs.sentence("Sentence A", "I love my pet python", key="a")
    with right:
        second = inputs.sentence("Sentence B (optional)", "", key="b", placeholder="none")
    links.examples(
        "Input_Embeddings",
        "Try",
        {
            "I am Sinan": {"a": "I am Sinan"},
            "a pair of sentences": {"a": "I am Sinan", "b": "She is Zoe"},
            "the same word twice": {"a": "the cat sat on the mat"},
            "dimensions that vary most": {"a": "the cat sat on the mat", "dims": "most variable"},
        },
    )

pair = second if second.strip() else None
with errors_shown():
    text = tokenize(bert, first, pair)
    parts = input_embeddings(bert, text)
    token_chips(text)
    embedding_views.length_finding(parts)
    window = embedding_views.choose_window(bert, text, parts)
    embedding_views.embedding_heatmaps(text, parts, window)
    embedding_views.show_code(bert, first, pair)
    last = st.container()  # what stands below need not wait for the library
    with errors_shown(stop=False):
        closer.look_closer(bert, text, parts, first, pair)
    with last:
        embedding_views.proof(bert, parts, first, pair)
