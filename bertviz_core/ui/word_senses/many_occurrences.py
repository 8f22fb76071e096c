"""The views of many occurrences, which run again without the rest of the page."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.encoder import Pooling
from bertviz_core.ui import slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_senses import (
    confounds,
    groups,
    lists,
    map_lines,
    occurrence_map,
    occurrences,
    sense_scores,
)
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
        cheaper, grouped = slots.part("cheaper"), slots.part("groups")
        # Where labels can be scored the groups come second, else they have the place of the scores.
        scored = mapped.scorable
        place = grouped if scored else right
        with place:
            title = "Groups found without labels" if scored else "Layer by layer"
            st.subheader(title, anchor=False)
            # Asked for before the map, which may be coloured by group.
            mapped = groups.with_chosen_count(mapped)
        with left:
            points, selected = occurrence_map.sense_map(mapped, layer, kind, colour)
            about_map = st.container()
        scores = None
        if scored:
            with right:
                st.subheader("Layer by layer", anchor=False)
                scores = sense_scores.score_curve(mapped, layer)
            with top:
                sense_scores.scores_finding(mapped, scores)
        with cheaper:
            confounds.confounds(bert, mapped, layer, scores)
            if scores is not None:
                sense_scores.show_code(bert, mapped, scores)
        with place:
            said = st.container() if scored else top
            by_layer = groups.layer_groups(mapped, layer)
            groups.groups_table(mapped, *by_layer)
            groups.what_the_scores_mean()
            with said:
                groups.groups_finding(mapped, *by_layer)
        lists.selected_sentences(mapped, layer, selected)
        st.subheader("Nearest occurrences", anchor=False)
        lists.nearest(bert, mapped, layer, points)
        with about_map:
            chart = occurrence_map.chart_name(kind)
            map_lines.how_far_to_trust(mapped, layer, kind, points, chart)
        lists.all_occurrences(mapped, layer, points)
        lists.show_code(bert, mapped, layer, kind)
