"""Many occurrences of one word on a map, layer by layer, and whether its senses come apart."""

from bertviz_core.ui import frame, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_senses import choices, sources
from bertviz_core.ui.word_senses.many_occurrences import many_occurrences

bert = frame.page(
    "Word Senses",
    "Do the senses of a word come apart?",
    "Every point is one occurrence of the word. Press Play and see them move from layer to layer.",
    icon=":material/scatter_plot:",
)

with errors_shown(), slots.panel("occurrences", sources.LOOKED_FOR):
    source = slots.part("source")
    chosen = choices.ask()
    with source:
        request = sources.ask()

with slots.part("senses"):
    many_occurrences(bert, request, chosen)
