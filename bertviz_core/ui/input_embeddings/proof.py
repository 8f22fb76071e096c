"""The proof: our sum against the model's own embedding module."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.tokens import InputText
from bertviz_core.ui.html import finding
from bertviz_core.ui.input_embeddings.results import own_embedding_layer
from bertviz_core.ui.results import library_doing
from bertviz_core.ui.show import waiting

_PROVED = "_proved"
ROUNDING = 1e-5  # a difference below it comes from rounding alone


def proof(bert: Bert, typed: InputText, parts: InputEmbeddings) -> None:
    """Compare our sum with what the library's own module returns, when somebody asks for it."""
    st.caption(
        "LayerNorm(token + segment + position), as drawn above, against `model.embeddings(…)` "
        "of the transformers library."
    )
    if not _wanted(bert, typed):
        return
    with waiting(library_doing(bert.name, "Running the model's own embedding layer …"), height=80):
        own = own_embedding_layer(bert.name, typed)
    difference = float(np.abs(own - parts.output).max())
    finding(
        "Largest difference over {count} numbers up to {largest}: <b>{difference}</b>. "
        + (
            "That is rounding: ours is computed in 64 bits, the model's in 32."
            if difference < ROUNDING
            else "Rounding alone does not explain that."
        ),
        count=f"{own.size:,}",
        difference=f"{difference:.1e}",
        largest=f"{np.abs(own).max():.2f}",
        method="the-proof",
    )


def _wanted(bert: Bert, typed: InputText) -> bool:
    """Whether the visitor has asked for the proof of this text.

    Also when the model is in memory: in a hall, every new sentence of every viewer would wait for
    the library's own layer.
    """
    shown = (bert.name, typed)
    slot = st.empty()
    if st.session_state.get(_PROVED) != shown:
        label = "Run the model's own layer"
        if not slot.button(label, icon=":material/play_arrow:", key="prove", type="primary"):
            return False
        slot.empty()
        st.session_state[_PROVED] = shown
    return True
