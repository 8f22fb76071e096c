"""The views of many occurrences, which run again without the rest of the page."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.encoder import Pooling
from bertviz_core.ui import slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_senses import groups, lists, occurrence_map, occurrences
from bertviz_core.ui.word_senses.sources import Request


@st.fragment
def many_occurrences(bert: Bert, request: Request, pooling: Pooling) -> None:
    """Show the map, the layers, and the sentences behind the points.

    The vectors are not an argument: what a fragment is given is kept for each viewer.

    Args:
        bert: The checkpoint in use.
        request: The occurrences that are asked for.
        pooling: How the pieces of a word become one vector.
    """
    with errors_shown(stop=False):
        mapped = occurrences.run(bert, request, pooling)
        top = st.container()
        layer, kind, colour = occurrence_map.chosen_view(mapped)
        left, right = slots.row("map", [3, 2], gap="medium")
        with left:
            points, selected = occurrence_map.sense_map(mapped, layer, kind, colour)
        with right:
            st.subheader("Layer by layer", anchor=False)
            scores, by_layer = groups.layer_agreement(mapped, layer)
            groups.agreement_table(mapped, scores, by_layer)
        with top:
            groups.separation_finding(mapped, scores, by_layer)
        lists.selected_sentences(mapped, layer, selected)
        st.subheader("Nearest occurrences", anchor=False)
        lists.nearest(bert, mapped, layer)
        lists.all_occurrences(mapped, layer, points)
        lists.show_code(bert, mapped, layer, kind)
