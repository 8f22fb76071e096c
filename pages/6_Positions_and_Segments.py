"""The two small tables: what BERT learned about word order, and what changing them does."""

from bertviz_core.ui import frame, slots
from bertviz_core.ui.positions.two_tables import two_tables

bert = frame.page(
    "Positions and Segments",
    "What does BERT know about word order?",
    "Only what two small tables add to each token: one learned row for its position, one for its "
    "segment.",
    icon=":material/view_week:",
)

with slots.part("positions"):
    two_tables(bert)
