"""Below the heatmaps: five closer looks, of which only the chosen one is computed and drawn.

Each is imported when it is chosen, so that none of them delays the heatmaps.
"""

from typing import TYPE_CHECKING

import streamlit as st

from bertviz_core.ui import inputs
from bertviz_core.ui.slots import slot_for

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.embeddings import InputEmbeddings
    from bertviz_core.tokens import TokenizedText

NUMBERS = "a token's numbers"
PARTS = "whose vector is it"
ROWS = "two sentences, row by row"
ORDER = "order and dropout"
DIMENSION = "one dimension"
LOOKS = {look: look for look in (NUMBERS, PARTS, ROWS, ORDER, DIMENSION)}


def look_closer(
    bert: "Bert", text: "TokenizedText", parts: "InputEmbeddings", first: str, pair: str | None
) -> None:
    """Ask what to look at and show it.

    Args:
        bert: The model in use.
        text: Both sentences as one input, as drawn above.
        parts: Its embeddings.
        first: Sentence A as typed.
        pair: Sentence B as typed; None if there is none.
    """
    st.divider()
    look = inputs.choice("Look closer at", LOOKS, key="look")
    with slot_for(look, LOOKS):
        _show(look, bert, text, parts, first, pair)


def _show(
    look: str,
    bert: "Bert",
    text: "TokenizedText",
    parts: "InputEmbeddings",
    first: str,
    pair: str | None,
) -> None:
    if look == PARTS:
        from bertviz_core.ui.input_embeddings import shares as parts_views

        parts_views.whose_vector(bert, text, parts, first, pair)
    elif look == ROWS:
        from bertviz_core.ui.input_embeddings import rows as rows_views

        rows_views.two_sentences(bert, first, pair)
    elif look == ORDER:
        from bertviz_core.ui.input_embeddings import order_and_dropout as order_views

        order_views.order_and_dropout(bert, text, first, pair)
    elif look == DIMENSION:
        from bertviz_core.ui.input_embeddings import dimension as dimension_views

        dimension_views.one_dimension(bert, text, parts, first, pair)
    else:
        from bertviz_core.ui.input_embeddings import heatmaps as embedding_views

        embedding_views.token_table(text, parts)
