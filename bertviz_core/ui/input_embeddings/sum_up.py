"""The fields of the page and the sum of their embeddings, which run again without the rest."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.ui import inputs, links, sections, slots
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.input_embeddings.dimension import one_dimension
from bertviz_core.ui.input_embeddings.heatmaps import choose, embedding_heatmaps, part_lengths
from bertviz_core.ui.input_embeddings.order_and_dropout import order_and_dropout
from bertviz_core.ui.input_embeddings.proof import proof
from bertviz_core.ui.input_embeddings.rows import two_sentences
from bertviz_core.ui.input_embeddings.shares import contributions
from bertviz_core.ui.input_embeddings.survives import what_survives
from bertviz_core.ui.input_embeddings.token_numbers import all_numbers, arrays_of, token_numbers
from bertviz_core.ui.show import code, folded_table

LOOK = "look"  # key of the sections


@fragment
def sum_up(bert: Bert) -> None:
    """Ask for a sentence, or a pair, and show what is added up for its tokens."""
    with slots.panel("sentences", "a", "b"):
        typed = inputs.text_and_pair("Sentence", "I love my pet python", live=True)
        text = typed.tokenize(bert)
        parts = input_embeddings(bert, text)
        with slots.options("sentences", beside=_examples):
            chosen = choose(text, parts)
            position = inputs.token_position(typed, text)
    part_lengths(parts)
    token_chips(text, selected=[position], on_tap=_tapped)
    embedding_heatmaps(text, parts, chosen)
    folded_table(
        "Table of all numbers",
        lambda: all_numbers(text, parts),
        key="all-numbers",
        name="input-embeddings",
        decimals=4,
    )
    code(
        "embeddings/input_embeddings",
        bert,
        typed,
        name="embeddings",
        arrays=lambda: arrays_of(text, parts),
    )
    sections.below(
        {
            sections.NUMBERS: lambda: token_numbers(text, parts, position),
            sections.PROOF: lambda: proof(bert, typed, parts),
            sections.SHARES: lambda: contributions(bert, typed, text, parts, position),
            sections.ROWS: lambda: two_sentences(bert, typed),
            sections.ORDER: lambda: order_and_dropout(bert, typed, text),
            sections.DIMENSION: lambda: one_dimension(bert, text, parts),
            sections.SURVIVES: lambda: what_survives(bert),
        },
        key=LOOK,
    )


def _examples() -> None:
    links.examples(
        "Input_Embeddings",
        {
            "I am Sinan": {"a": "I am Sinan"},
            "a pair of sentences": {"a": "I am Sinan", "b": "She is Zoe"},
            "the same word twice": {"a": "the cat sat on the mat"},
            "dimensions that vary most": {"a": "the cat sat on the mat", "dims": "most variable"},
        },
    )


def _tapped(position: int) -> None:
    """A tapped token shows its numbers, unless another section is open."""
    inputs.look_at(position)
    if st.session_state.get(LOOK) is None:
        st.session_state[LOOK] = sections.NUMBERS
