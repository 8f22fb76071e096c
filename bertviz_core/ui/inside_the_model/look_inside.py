"""The inputs of the page and its sections, which run again without the rest of the page."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.ui import links, sections, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.inside_the_model.parameters import parameters
from bertviz_core.ui.inside_the_model.pooler import ask_sentence, pooler
from bertviz_core.ui.inside_the_model.tensors import choose_tensor, one_tensor, token_norms
from bertviz_core.ui.inside_the_model.training import ask_text, training


@st.fragment
def look_inside(bert: Bert) -> None:
    """Ask what to look at, and show it."""
    fields: dict[str, Callable[[], Any]] = {
        sections.TENSOR: lambda: choose_tensor(bert),
        sections.POOLER: ask_sentence,
        sections.TRAINING: ask_text,
    }
    asked: Any = None  # what the chosen view's own fields give
    views: dict[str, Callable[[], None]] = {
        sections.PARAMETERS: lambda: parameters(bert),
        sections.TENSOR: lambda: one_tensor(bert, asked),
        sections.NORMS: lambda: token_norms(bert),
        sections.POOLER: lambda: pooler(bert, asked),
        sections.TRAINING: lambda: training(bert, asked),
    }
    with errors_shown(stop=False):
        with slots.panel("view"):
            chosen = sections.choose("Look at", views, key="inside")
            asked = fields[chosen]() if chosen in fields else None
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
        sections.show(chosen, views)
