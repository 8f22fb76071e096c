"""The fields of the page Positions and Segments."""

from bertviz_core.bert import Bert
from bertviz_core.ui import links, slots, views
from bertviz_core.ui.errors import fragment
from bertviz_core.views.positions_and_segments.position_table import position_table

EXPERIMENTS = {"section": "experiments"}
EXAMPLES: dict[str, dict[str, str | int]] = {
    "position 0": {"row": 0, "column": 1},
    "the last positions": {"row": 490, "column": 490},
    "from position 128 on": {"section": "are rows from 128 on different?"},
    "are they sinusoids?": {"section": "against sinusoids"},
    "shuffle the order": {**EXPERIMENTS, "change": "shuffle"},
    "flip the segments": {**EXPERIMENTS, "change": "flip segments"},
}


@fragment
def two_tables(bert: Bert) -> None:
    """Ask for two positions, show the position table at them, and the sections below."""
    with slots.panel("positions", "row", "column"):
        with slots.part("slim-positions"):
            asked = views.ask(position_table, {"bert": bert})
        links.examples("Positions_and_Segments", EXAMPLES)
    views.show(position_table, bert, {}, asked=asked)
    views.sections("Positions and Segments", bert, asked)
