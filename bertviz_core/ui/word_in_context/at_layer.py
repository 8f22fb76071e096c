"""What the page shows at one layer: it runs again without the rest when the layer is changed."""

import streamlit as st

from bertviz_core.ui import inputs, sections, slots
from bertviz_core.ui.calibrations import measure_beside
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_in_context.compared import Compared
from bertviz_core.ui.word_in_context.influence import which_word
from bertviz_core.ui.word_in_context.lens import looks_like
from bertviz_core.ui.word_in_context.neighbors import in_context
from bertviz_core.ui.word_in_context.percentiles import on_percentile_scale
from bertviz_core.ui.word_in_context.pieces import pieces_and_pooling
from bertviz_core.ui.word_in_context.second_model import second_model
from bertviz_core.ui.word_in_context.similarity import (
    between_words,
    curve_table,
    layer_curves,
    matrix,
    matrix_code,
    nearest_anchors,
    similarity_table,
)


@st.fragment
def at_chosen_layer(words: Compared) -> None:
    """Ask for a layer, the last one at first, and show the words there."""
    with errors_shown(stop=False):  # when it runs alone, nobody around it catches them
        last = words.bert.num_hidden_layers
        with slots.part("layer"):
            layer = inputs.number("Layer (0 = input embedding)", 0, last, last, key="layer")
        compared = words.at(layer)
        nearest_anchors(compared)
        similarity_table(compared)
        if compared.calibration is None:
            # On a first visit measuring waits for a click, because it takes 70 MB more.
            measure_beside(compared.bert, ask=compared.first_run)
        st.subheader("Layer by layer", anchor=False)
        layer_curves(compared)
        left, right = st.columns(2, gap="medium")
        with left:
            between_words(compared)
        with right:
            matrix(compared)
        curve_table(compared)
        matrix_code(compared)
        sections.below(
            {
                sections.INFLUENCE: lambda: which_word(compared),
                sections.LENS: lambda: looks_like(compared),
                sections.NEIGHBORS: lambda: in_context(compared),
                sections.PERCENTILES: lambda: on_percentile_scale(compared),
                sections.PIECES: lambda: pieces_and_pooling(compared),
                sections.SECOND_MODEL: lambda: second_model(compared),
            },
            key="deeper",
            open_first=False,
        )
