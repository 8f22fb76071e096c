"""How a text becomes WordPieces, ids and segments, step by step."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.tokens import read_text

bert = frame.page(
    "Tokens",
    "How does BERT read a text?",
    "As WordPieces: whole words the vocabulary has, else the longest pieces of it, marked by `##`.",
    icon=":material/segment:",
)

read_text(bert)
