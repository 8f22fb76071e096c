"""The two small tables of positions and segments, and what changing them does."""

from bertviz_core.ui import frame, links, slots, views
from bertviz_core.ui.errors import fragment
from bertviz_core.views.positions_and_segments.position_table import position_table

bert = frame.page(
    "Positions and Segments",
    "What does BERT know about word order?",
    "BERT reads all tokens at once. A row added to each token says its position, another one its "
    "segment.",
    icon=":material/view_week:",
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


@fragment
def two_tables() -> None:
    """Ask for two positions, show the position table at them, and the sections below."""
    with slots.panel("positions", "row", "column"):
        with slots.part("slim-positions"):
            chosen = views.ask(position_table, {"bert": bert})
        links.examples("Positions_and_Segments", EXAMPLES)
    views.show(position_table, bert, {}, chosen=chosen)
    views.sections("Positions and Segments", bert, chosen)


two_tables()
