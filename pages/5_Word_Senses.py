"""Many occurrences of one word on a map, and the layer where its senses come apart."""

import streamlit as st

from bertviz_core.ui import frame, links, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_senses import groups, lists, occurrence_map, occurrences, sources

bert = frame.page(
    "Word Senses",
    "Do the senses of a word come apart?",
    "Every point is one occurrence of the word, placed by the vector BERT makes for it in its "
    "sentence. Move the layer slider and watch the senses separate.",
    icon=":material/scatter_plot:",
)

with slots.panel("occurrences"), errors_shown():
    left, right = slots.row("occurrences", [3, 2])
    with left:
        source = sources.chosen_source()
    with right:
        pooling = sources.chosen_pooling()
    request = sources.ask(source)
    links.examples(
        "Word_Senses",
        "Try",
        {
            "bank at the input embedding": {"set": "bank", "layer": 0},
            "three springs": {"set": "spring"},
            "python, groups found without labels": {"set": "python", "colour": "group"},
            "a hard one: crane": {"set": "crane", "map": "t-SNE"},
        },
    )

with errors_shown():
    mapped = occurrences.run(bert, request, pooling)
    top = st.container()
    layer, kind, colour = occurrence_map.chosen_view(mapped)
    left, right = st.columns([3, 2], gap="medium")
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
