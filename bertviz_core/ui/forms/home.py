"""The fields of Home: one sentence, and the token that is followed through BERT."""

from collections.abc import Callable

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.shared import models
from bertviz_core.tokens import InputText
from bertviz_core.ui import inputs, links, slots, views
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.following import marked_sentence, typed_sentence
from bertviz_core.ui.present import presenting
from bertviz_core.views.home.one_token import one_token, through_layers

EXAMPLE = "I love my pet python"
EXAMPLES: dict[str, dict[str, str | int]] = {
    "dog dog dog": {"a": "dog dog dog"},
    "awesomesauce": {"a": "Sinan loves awesomesauce"},
    "river bank": {"a": "We sat on the bank of the river"},
}


@fragment
def one_sentence(bert: Bert, start_tour: Callable[[str], None]) -> None:
    """Ask for a sentence, and show what becomes of it and of one of its tokens.

    `start_tour` draws the way to the tour, under a key.
    """
    with slots.panel("sentence", "a"):
        typed = InputText(inputs.sentence("Your sentence", EXAMPLE, key="a", live=True))
        text = typed.tokenize(bert)
        with slots.options("sentence", beside=lambda: links.examples("", EXAMPLES)):
            position = inputs.token_position(typed, text)
    chosen = st.session_state.get(inputs.TOKEN) is not None
    given = {"typed": typed, "position": position if chosen else None}
    if not presenting():
        _links(given, start_tour)
    picture = slots.part("story")
    ready = models.has_encoder(bert.name) or views.asked_for_model()
    with picture:
        views.show(through_layers if ready else one_token, bert, given, ask_first=False)


def _links(given: views.Given, start_tour: Callable[[str], None]) -> None:
    """Where the same sentence is looked at more closely; an untouched example stays here."""
    token = {} if given["position"] is None else {"token": given["position"]}
    marked = {}
    if typed_sentence() or token:
        marked["s"] = marked_sentence(links.cut_to_carry(given["typed"].text))
    with st.container(horizontal=True, vertical_alignment="center", key="go-on"):
        start_tour("tour-start")
        links.row("Go on with", {
            "its sum": links.view("Input_Embeddings", **token),
            "its path between two words": links.view("Word_in_Context", **marked),
        })  # fmt: skip
