"""A word's path through the layers: away from its own row, towards its sentence."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.figures.axes import layers, titled
from bertviz_core.figures.drawing import draw, line
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.ui import inputs, links
from bertviz_core.ui.address.following import marked_sentence, typed_sentence
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.home.results import path_of
from bertviz_core.ui.html import finding
from bertviz_core.ui.results import ready_or_asked
from bertviz_core.ui.show import chart
from bertviz_core.ui.waiting import waiting

HEIGHT = 300


@fragment
def path_through_layers(bert: Bert, typed: InputText, text: TokenizedText, position: int) -> None:
    """Follow a token through the model, once that is in memory; before, offer to load it.

    Args:
        bert: The model in use.
        typed: The text.
        text: The same as tokens.
        position: Of the token.
    """
    marked = {"s": marked_sentence(links.cut_to_carry(typed.text))}
    untouched = not typed_sentence() and st.session_state.get(inputs.TOKEN) is None
    view = links.view("Word_in_Context", **({} if untouched else marked))  # it has an own example
    links.row("The path through the layers", {"Word in Context →": view})
    if not ready_or_asked(bert, "Follow it through the layers", key="run_path"):
        return
    with waiting("Running BERT on the sentence …", height=HEIGHT):
        path = path_of(bert.name, typed, position)
    numbers = np.arange(bert.num_hidden_layers + 1)
    last = bert.num_hidden_layers
    finding(
        "After layer {last} <b>{token}</b> has a cosine of <b>{start}</b> with where it began, and "
        "of <b>{others}</b> with the rest of its sentence ({others_first} at layer 0).",
        last=last,
        token=text.tokens[position],
        start=f"{path.to_start[-1]:.2f}",
        others=f"{path.to_others[-1]:.2f}",
        others_first=f"{path.to_others[0]:.2f}",
        method="what-is-left-of-the-input-embedding",
    )
    hover = "layer %{x}: %{y:.3f}"
    chart(
        draw(
            [
                line(numbers, path.to_start, "with where it began", hover, 0),
                line(numbers, path.to_others, "with the rest of its sentence", hover, 1),
            ],
            height=HEIGHT,
            legend=True,
            xaxis=layers(),
            yaxis=titled("cosine similarity"),
        ),
        alt=f"Two curves by layer: the cosine of {text.tokens[position]} with the vector it began "
        f"as goes from 1 to {path.to_start[-1]:.2f}, its mean cosine with the other tokens from "
        f"{path.to_others[0]:.2f} to {path.to_others[-1]:.2f}.",
        name="path",
    )
