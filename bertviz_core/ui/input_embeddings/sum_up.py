"""The fields of the page and the sum of their embeddings, which run again without the rest."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.ui import inputs, links, sections, slots
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.input_embeddings.dimension import one_dimension
from bertviz_core.ui.input_embeddings.heatmaps import embedding_heatmaps, part_lengths
from bertviz_core.ui.input_embeddings.order_and_dropout import order_and_dropout
from bertviz_core.ui.input_embeddings.proof import proof
from bertviz_core.ui.input_embeddings.rows import two_sentences
from bertviz_core.ui.input_embeddings.shares import contributions
from bertviz_core.ui.input_embeddings.survives import what_survives
from bertviz_core.ui.input_embeddings.token_numbers import token_numbers


@st.fragment
def sum_up(bert: Bert) -> None:
    """Ask for a sentence, or a pair, and show what is added up for its tokens."""
    with slots.panel("sentences"):
        typed = inputs.text_and_pair("Sentence", "I love my pet python")
        links.examples(
            "Input_Embeddings",
            "Try",
            {
                "I am Sinan": {"a": "I am Sinan"},
                "a pair of sentences": {"a": "I am Sinan", "b": "She is Zoe"},
                "the same word twice": {"a": "the cat sat on the mat"},
                "dimensions that vary most": {
                    "a": "the cat sat on the mat",
                    "dims": "most variable",
                },
            },
        )

    with errors_shown(stop=False):  # when it runs alone, nobody around it catches them
        text = typed.tokenize(bert)
        parts = input_embeddings(bert, text)
        token_chips(text)
        part_lengths(parts)
        embedding_heatmaps(bert, typed, text, parts)
        slot_of_proof = st.container()  # filled last: the sections need not wait for the library
        with errors_shown(stop=False):
            sections.below(
                {
                    sections.NUMBERS: lambda: token_numbers(text, parts),
                    sections.SHARES: lambda: contributions(bert, typed, text, parts),
                    sections.ROWS: lambda: two_sentences(bert, typed),
                    sections.ORDER: lambda: order_and_dropout(bert, typed, text),
                    sections.DIMENSION: lambda: one_dimension(bert, text, parts),
                    sections.SURVIVES: lambda: what_survives(bert),
                },
                key="look",
            )
        with slot_of_proof:
            proof(bert, typed, parts)
