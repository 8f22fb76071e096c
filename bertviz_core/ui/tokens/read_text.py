"""The fields of the page and what BERT makes of the text: they run again without the rest."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.ui import inputs, links, sections, slots
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.tokens.line_counts import many_lines
from bertviz_core.ui.tokens.lookup import ids_to_text, in_the_vocabulary
from bertviz_core.ui.tokens.segments import two_segments
from bertviz_core.ui.tokens.word_search import word_by_steps
from bertviz_core.ui.tokens.wordpieces import token_table, word_counts


@st.fragment
def read_text(bert: Bert) -> None:
    """Ask for a text, or a pair, and show its tokens."""
    with slots.panel("texts"):
        typed = inputs.text_and_pair("Text", "Sinan loves awesomesauce at the café!")
        links.examples(
            "Tokens",
            "Try",
            {
                "awesomesauce": {"a": "awesomesauce"},
                "I am Sinan": {"a": "I am Sinan", "closer": sections.VOCABULARY},
                "a pair": {"a": "I am Sinan", "b": "She is Zoe", "closer": sections.TWO_SEGMENTS},
                "accents and emoji": {"a": "Crème brûlée 🐍 at the naïve café❤", "follow": "café❤"},
                "a typed [SEP]": {
                    "a": "I am Sinan [SEP] She is Zoe",
                    "closer": sections.TWO_SEGMENTS,
                },
            },
        )

    with errors_shown(stop=False):  # when it runs alone, nobody around it catches them
        text = typed.tokenize(bert)
        word_counts(bert, typed, text)
        token_chips(text, by_word=True)
        token_table(bert, typed, text)
        sections.below(
            {
                sections.WORD_STEPS: lambda: word_by_steps(bert, typed),
                sections.VOCABULARY: lambda: in_the_vocabulary(bert),
                sections.IDS: lambda: ids_to_text(bert, typed),
                sections.TWO_SEGMENTS: lambda: two_segments(bert, typed, text),
                sections.LINES: lambda: many_lines(bert),
            },
            key="closer",
        )
