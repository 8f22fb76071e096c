"""The two small tables: what BERT learned about positions, and what changing them does."""

from bertviz_core.ui import frame, links, sections, slots
from bertviz_core.ui.positions.experiments import experiments
from bertviz_core.ui.positions.position_table import position_table
from bertviz_core.ui.positions.segments import segment_table
from bertviz_core.ui.positions.sinusoids import against_sinusoids

bert = frame.page(
    "Positions and Segments",
    "What does BERT know about positions?",
    "Attention alone cannot tell one order of words from another. What BERT knows about order it "
    "takes from two small learned tables: one row a position, and one row a segment.",
    icon=":material/view_week:",
)

SECTIONS = (
    sections.POSITION_TABLE,
    sections.SINUSOIDS,
    sections.SEGMENT_TABLE,
    sections.EXPERIMENTS,
)

with slots.panel("part"):
    chosen = sections.choose("Show", SECTIONS, key="part")
    links.examples(
        "Positions_and_Segments",
        "Try",
        {
            "position 0": {"row": 0, "column": 1},
            "the last positions": {"row": 490, "column": 490},
            "are they sinusoids?": {"part": sections.SINUSOIDS},
            "two segments": {"part": sections.SEGMENT_TABLE},
            "shuffle the order": {"part": sections.EXPERIMENTS, "change": "shuffle"},
            "flip the segments": {"part": sections.EXPERIMENTS, "change": "flip segments"},
        },
    )

sections.show(
    chosen,
    {
        sections.POSITION_TABLE: lambda: position_table(bert),
        sections.SINUSOIDS: lambda: against_sinusoids(bert),
        sections.SEGMENT_TABLE: lambda: segment_table(bert),
        sections.EXPERIMENTS: lambda: experiments(bert),
    },
)
