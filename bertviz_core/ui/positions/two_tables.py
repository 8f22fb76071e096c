"""The whole page below its title, which runs again without it."""

from bertviz_core.bert import Bert
from bertviz_core.ui import links, sections, slots
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.positions.experiments import experiments
from bertviz_core.ui.positions.position_table import (
    choose_pair,
    is_it_the_distance,
    lengths_and_path,
    one_position,
    position_table,
)
from bertviz_core.ui.positions.segments import segment_table
from bertviz_core.ui.positions.sinusoids import against_sinusoids

EXAMPLES: dict[str, dict[str, str | int]] = {
    "position 0": {"row": 0, "column": 1},
    "the last positions": {"row": 490, "column": 490},
    "are they sinusoids?": {"part": sections.SINUSOIDS},
    "shuffle the order": {"part": sections.EXPERIMENTS, "change": "shuffle"},
    "flip the segments": {"part": sections.EXPERIMENTS, "change": "flip segments"},
}


@fragment
def two_tables(bert: Bert) -> None:
    """Ask for two positions, show the position table at them, and the sections below."""
    with slots.panel("positions", "row", "column"):
        row, column = choose_pair(bert)
        links.examples("Positions_and_Segments", EXAMPLES)
    position_table(bert, row, column)
    sections.below(
        {
            sections.ONE_POSITION: lambda: one_position(bert, row),
            sections.DISTANCE: lambda: is_it_the_distance(bert),
            sections.LENGTHS: lambda: lengths_and_path(bert, row),
            sections.SINUSOIDS: lambda: against_sinusoids(bert, row),
            sections.SEGMENT_TABLE: lambda: segment_table(bert),
            sections.EXPERIMENTS: lambda: experiments(bert),
        },
        key="part",
    )
