"""The fields of Home: one sentence, and the token that is followed through BERT."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.tokens import InputText
from bertviz_core.ui import inputs, links, slots, views
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.following import marked_sentence, typed_sentence
from bertviz_core.views.home.one_token import one_token
from bertviz_core.views.home.path import path

EXAMPLE = "I love my pet python"
EXAMPLES: dict[str, dict[str, str | int]] = {
    "dog dog dog": {"a": "dog dog dog"},
    "awesomesauce": {"a": "Sinan loves awesomesauce"},
    "river bank": {"a": "We sat on the bank of the river"},
}


@fragment
def one_sentence(bert: Bert) -> None:
    """Ask for a sentence, and show what becomes of it and of one of its tokens."""
    with slots.panel("sentence", "a"):
        typed = InputText(inputs.sentence("Your sentence", EXAMPLE, key="a", live=True))
        text = typed.tokenize(bert)
        with slots.options("sentence", beside=lambda: links.examples("", EXAMPLES)):
            position = inputs.token_position(typed, text)
    chosen = st.session_state.get(inputs.TOKEN) is not None
    given = {"sentence": typed.text, "position": position if chosen else None}
    views.show(one_token, bert, given)
    _path(bert, given)


@fragment
def _path(bert: Bert, given: views.Given) -> None:
    """Follow the token through the model: a click that loads it runs this part alone."""
    marked = {}  # an untouched example stays here: that page opens on its own
    if typed_sentence() or given["position"] is not None:
        marked["s"] = marked_sentence(links.cut_to_carry(given["sentence"]))
    there = links.view("Word_in_Context", **marked)
    links.row("The path through the layers", {"Word in Context →": there})
    views.show(path, bert, given)
