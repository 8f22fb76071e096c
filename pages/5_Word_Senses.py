"""Many occurrences of one word on a map, layer by layer, and whether its senses come apart."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.word_senses import word_senses

bert = frame.page(
    "Word Senses",
    "Do the senses of a word come apart?",
    "Every point is one occurrence of the word. Press Play and see them move from layer to layer.",
    icon=":material/scatter_plot:",
)
word_senses(bert)
