"""Many occurrences of one word on a map, layer by layer, and whether its senses come apart."""

from bertviz_core.ui import frame
from bertviz_core.ui.forms.word_senses import word_senses

bert = frame.page(
    "Word Senses",
    "Do the senses of a word come apart?",
    "Each point is an occurrence of the word; Play moves them through the layers.",
    icon=":material/scatter_plot:",
)
word_senses(bert)
