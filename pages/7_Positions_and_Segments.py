"""The two small tables of positions and segments, and what changing them does."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.positions_and_segments import two_tables

bert = frame.page(
    "Positions and Segments",
    "What does BERT know about word order?",
    "Only what two small tables add to each token: one row for its position, one for its segment.",
    icon=":material/view_week:",
)

two_tables(bert)
