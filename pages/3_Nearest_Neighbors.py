"""Search the token table, and add and subtract words."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.nearest_neighbors import search

bert = frame.page(
    "Nearest Neighbors",
    "Which tokens live next to each other?",
    "Find the rows of BERT's token table nearest to a token, a piece like `##ing`, or a sum.",
    icon=":material/hub:",
)

search(bert)
