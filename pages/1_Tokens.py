"""How a text becomes WordPieces, ids and segments."""

import streamlit as st

from bertviz_core.tokens import InputText
from bertviz_core.ui import draw, fields, html, page
from bertviz_core.ui.state import BOUND
from bertviz_core.views.tokens.word_pieces import hardest_word, pieces

bert = page.begin(
    "Tokens",
    "How does BERT read a text?",
    "As words of its vocabulary, else as their longest pieces (`##`).",
)

FOLLOW = "follow"  # key of the word that is followed
EXAMPLES: dict[str, dict[str, str | int]] = {
    "a pair": {"a": "I am Sinan", "b": "She is Zoe"},
    "accents, emoji": {"a": "Crème brûlée 🐍 at the naïve café❤", FOLLOW: "café❤"},
    "typed [SEP]": {"a": "I am Sinan [SEP] She is Zoe"},
    "other ids": {"a": "mc²", "section": "what made these ids?", "ids": "101 11338 2475 102"},
}


def read_text() -> None:
    """Ask for a text, or a pair, and show its tokens and the search for the pieces of a word."""
    with page.panel("texts", "a", "b"):
        typed = fields.text_and_pair("Text", "Sinan loves awesomesauce at the café!")
        with page.options("texts", beside=lambda: html.examples(EXAMPLES)):
            word = followed_word(typed)
    given = {"typed": typed, "follow": word}
    draw.show(pieces, bert, given)
    draw.show_fragment(draw.sections, bert, given)


def followed_word(typed: InputText) -> str:
    """Offer the words of the text, the one with most pieces first; "" where there is none.

    When the text changes, a word that is not in it gives way to that one.
    """
    words = typed.tokenize(bert).as_typed(typed, words=True)
    offered = [word for word in dict.fromkeys(words) if word]
    default = hardest_word(bert, offered)
    if FOLLOW in st.session_state and st.session_state[FOLLOW] not in offered:
        st.session_state[FOLLOW] = default or None
    chosen = st.selectbox(
        "Word of the text",
        offered,
        index=offered.index(default) if offered else None,
        key=FOLLOW,
        **BOUND,
    )
    return chosen or ""


draw.show_fragment(read_text)
