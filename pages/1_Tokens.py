"""How a text becomes WordPieces, ids and segments."""

import streamlit as st

from bertviz_core.tokens import InputText
from bertviz_core.ui import frame, inputs, links, slots, views
from bertviz_core.ui.address import BOUND, MAX_CHARACTERS
from bertviz_core.ui.errors import fragment
from bertviz_core.views.tokens.words import hardest_word, pieces

bert = frame.page(
    "Tokens",
    "How does BERT read a text?",
    "As words of its vocabulary, else as their longest pieces (`##`).",
    icon=":material/segment:",
)

FOLLOW = "follow"  # key of the word that is followed
EXAMPLES: dict[str, dict[str, str | int]] = {
    "Sinan": {"a": "I am Sinan", "section": "words and ids"},
    "a pair": {"a": "I am Sinan", "b": "She is Zoe"},
    "accents, emoji": {"a": "Crème brûlée 🐍 at the naïve café❤", FOLLOW: "café❤"},
    "typed [SEP]": {"a": "I am Sinan [SEP] She is Zoe"},
}


@fragment
def read_text() -> None:
    """Ask for a text, or a pair, and show its tokens and the search for the pieces of a word."""
    with slots.panel("texts", "a", "b"):
        typed = inputs.text_and_pair("Text", "Sinan loves awesomesauce at the café!")
        with slots.options("texts", beside=lambda: links.examples("Tokens", EXAMPLES)):
            word = followed_word(typed)
    given = {"typed": typed, "follow": word}
    views.show(pieces, bert, given)
    views.sections("Tokens", bert, given)


def followed_word(typed: InputText) -> str:
    """Offer the words of the text, the one with most pieces first; any other can be typed.

    When the text changes, a word that is not in it gives way to the first one offered.
    """
    found = typed.tokenize(bert).as_typed(typed, words=True)
    offered = [word for word in dict.fromkeys(found) if word]
    words, default = tuple(offered), hardest_word(bert, offered)
    kept = st.session_state.get(FOLLOW) or st.query_params.get(FOLLOW)
    if kept not in offered:
        if words != st.session_state.get("_words_offered", words):
            st.session_state[FOLLOW] = default or None
        elif kept is not None:  # typed by the visitor
            offered = [kept, *offered]
    st.session_state["_words_offered"] = words
    chosen = st.selectbox(
        "Word (choose one of the text, or type any)",
        offered,
        index=offered.index(default) if default in offered else None,
        key=FOLLOW,
        accept_new_options=True,
        placeholder="type a word",
        **BOUND,
    )
    return (chosen or "")[:MAX_CHARACTERS]


read_text()
