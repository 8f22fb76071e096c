"""Every parameter, the pooler, and what one step of training changes."""

import streamlit as st

from bertviz_core.ui import draw, html, page
from bertviz_core.views.inside_the_model.parameters import parameters

bert = page.begin(
    "Inside the Model",
    "What is a BERT made of?",
    "Tables, matrices and vectors of numbers: count them, then look inside.",
)

with st.container(key="part-try"):
    html.examples(
        {
            "rows that no text reaches": {"section": "norms of the token table"},
            "the pooler": {"section": "pooler"},
            "king and queen": {"section": "what training changes"},
            "both segments": {
                "section": "what training changes",
                "alike": "My [dog] sleeps beside the [cat]",
                "beside": "They are friends",
            },
        },
    )

with draw.errors_shown():
    draw.show(parameters, bert, {})
    draw.show_fragment(draw.sections, bert, {})
