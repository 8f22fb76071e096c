"""Search the token table, and add and subtract words."""

from bertviz_core.ui import frame, slots
from bertviz_core.ui.nearest_neighbors.search import search

bert = frame.page(
    "Nearest Neighbors",
    "Which tokens live next to each other?",
    "Every token has one row in BERT's token table, the same in every sentence. Search the table "
    "for the rows nearest to a token, a piece like `##ing`, or a sum like `king - man + woman`.",
    icon=":material/hub:",
)

with slots.part("search"):
    search(bert)
