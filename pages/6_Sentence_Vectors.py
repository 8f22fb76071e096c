"""How a whole sentence becomes one vector, and whether a cosine of two is high."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.sentence_vectors import compare_sentences

bert = frame.page(
    "Sentence Vectors",
    "How does a sentence become one vector?",
    "BERT has one vector for each token. Choose how they become one; a cosine compares two.",
    icon=":material/compress:",
)

compare_sentences(bert)
