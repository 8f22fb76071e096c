"""The position and segment tables, and what changing them does."""

from bertviz_core.ui import frame, inputs, links, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.positions import experiments as experiment_views
from bertviz_core.ui.positions import position_table as position_views
from bertviz_core.ui.positions import segments as segment_views
from bertviz_core.ui.positions import sinusoids as sinusoid_views
from bertviz_core.ui.slots import slot_for

bert = frame.page(
    "Positions and Segments",
    "What does BERT know about places?",
    "Attention alone cannot tell one order of words from another. What BERT knows of places it "
    "takes from two small learned tables: one row a position, and one row a segment.",
)

with slots.panel("part"):
    part = inputs.choice("Show", position_views.PARTS, key="part")
    links.examples(
        "Positions_and_Segments",
        "Try",
        {
            "position 0": {"row": 0, "column": 1},
            "the last positions": {"row": 490, "column": 490},
            "are they sinusoids?": {"part": "against sinusoids"},
            "two segments": {"part": "segment table"},
            "shuffle the order": {"part": "experiments", "change": "shuffle"},
            "flip the segments": {"part": "experiments", "change": "flip segments"},
        },
    )

with slot_for(part, position_views.PARTS), errors_shown():
    if part == "position table":
        position_views.position_table(bert)
    elif part == "against sinusoids":
        sinusoid_views.against_sinusoids(bert)
    elif part == "segment table":
        segment_views.segment_table(bert)
        experiment_views.downstream(bert)
    else:
        experiment_views.experiments(bert)
