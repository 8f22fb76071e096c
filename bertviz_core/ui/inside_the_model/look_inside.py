"""The inputs of the page and its sections, which run again without the rest of the page."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.ui import inputs, links, sections, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.inside_the_model.parameters import parameters
from bertviz_core.ui.inside_the_model.pooler import pooler
from bertviz_core.ui.inside_the_model.tensors import choose_tensor, one_tensor, token_norms
from bertviz_core.ui.inside_the_model.training import ask_text, training

SECTIONS = (
    sections.PARAMETERS,
    sections.TENSOR,
    sections.NORMS,
    sections.POOLER,
    sections.TRAINING,
)


@st.fragment
def look_inside(bert: Bert) -> None:
    """Ask what to look at, and show it."""
    with errors_shown(stop=False):
        with slots.panel("view"):
            chosen = sections.choose("Look at", SECTIONS, key="inside")
            if chosen == sections.TENSOR:
                tensor = choose_tensor(bert)
            elif chosen == sections.POOLER:
                sentence = inputs.sentence("Sentence", "Sinan loves a beautiful day", key="pooled")
            elif chosen == sections.TRAINING:
                marked = ask_text()
            links.examples(
                "Inside_the_Model",
                "Try",
                {
                    "the segment table": {
                        "inside": sections.TENSOR,
                        "tensor": "embeddings.token_type_embeddings.weight",
                    },
                    "[unused] rows against words": {"inside": sections.NORMS},
                    "the pooler": {"inside": sections.POOLER, "pooled": "I am Sinan"},
                    "king and queen": {"inside": sections.TRAINING},
                    "both segments": {
                        "inside": sections.TRAINING,
                        "alike": "My [dog] sleeps beside the [cat]",
                        "beside": "They are friends",
                    },
                },
            )
        sections.show(
            chosen,
            {
                sections.PARAMETERS: lambda: parameters(bert),
                sections.TENSOR: lambda: one_tensor(bert, tensor),
                sections.NORMS: lambda: token_norms(bert),
                sections.POOLER: lambda: pooler(bert, sentence),
                sections.TRAINING: lambda: training(bert, marked),
            },
        )
