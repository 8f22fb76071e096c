"""How a text becomes WordPieces, ids and segments, step by step."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.tokens import read_text

bert = frame.page(
    "Tokens",
    "How does BERT read a text?",
    "As words of its vocabulary, else as their longest pieces (`##`).",
    icon=":material/segment:",
)

read_text(bert)
