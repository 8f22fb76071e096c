"""Many occurrences of one word on a map, and the layer where its senses come apart."""

import streamlit as st

from bertviz_core.ui import frame, links, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_senses import groups as sense_groups
from bertviz_core.ui.word_senses import lists as sense_lists
from bertviz_core.ui.word_senses import occurrence_map as sense_map
from bertviz_core.ui.word_senses import occurrences as sense_views
from bertviz_core.ui.word_senses import sources as sense_inputs

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
        source = sense_inputs.chosen_source()
    with right:
        pooling = sense_inputs.chosen_pooling()
    asked = sense_inputs.ask(source)
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
    mapped = sense_views.run(bert, asked, pooling)
    said = st.container()
    layer, kind, colour = sense_map.chosen_view(mapped)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        points, selected = sense_map.sense_map(mapped, layer, kind, colour)
    with right:
        st.subheader("Layer by layer", anchor=False)
        scores, by_layer = sense_groups.layer_agreement(mapped, layer)
        sense_groups.agreement_table(mapped, scores, by_layer)
    with said:
        sense_groups.separation_finding(mapped, scores, by_layer)
    sense_lists.selected_sentences(mapped, layer, selected)
    st.subheader("Nearest occurrences", anchor=False)
    sense_lists.nearest(bert, mapped, layer)
    sense_lists.all_occurrences(mapped, layer, points)
    sense_lists.show_code(bert, mapped, layer, kind)
