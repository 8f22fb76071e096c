"""The two small tables of positions and segments, and what changing them does."""

import streamlit as st

from bertviz_core.ui import draw, html, page
from bertviz_core.views.positions_and_segments.position_table import position_table

bert = page.begin(
    "Positions and Segments",
    "What does BERT know about word order?",
    "BERT reads all tokens at once. A row added to each token says its position, another one its "
    "segment.",
)

EXPERIMENTS = {"section": "experiments"}
EXAMPLES: dict[str, dict[str, str | int]] = {
    "position 0": {"row": 0, "column": 1},
    "the last positions": {"row": 490, "column": 490},
    "around position 128": {"row": 127, "column": 128},
    "are they sinusoids?": {"section": "against sinusoids"},
    "shuffle the order": {**EXPERIMENTS, "change": "shuffle"},
    "flip the segments": {**EXPERIMENTS, "change": "flip segments"},
}


def two_tables() -> None:
    """Ask for two positions, show the position table at them, and the sections below."""
    with page.panel("positions", "row", "column"):
        with st.container(key="part-slim-positions"):
            chosen = draw.ask(position_table, {"bert": bert})
        html.examples(EXAMPLES)
    draw.show(position_table, bert, {}, chosen=chosen)
    draw.show_fragment(draw.sections, bert, chosen)


draw.show_fragment(two_tables)
