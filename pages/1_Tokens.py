"""How a text becomes WordPieces, ids and segments, step by step."""

from bertviz_core.ui import frame, slots
from bertviz_core.ui.tokens.read_text import read_text

bert = frame.page(
    "Tokens",
    "How does BERT read a text?",
    "As WordPieces: whole words where the vocabulary has them, else the longest pieces it has, "
    "each continuation marked by `##`. Their ids are all that the model gets of the text.",
    icon=":material/segment:",
)

with slots.part("read-text"):
    read_text(bert)
