"""Many occurrences of one word on a map, and the layer where its senses come apart."""

from bertviz_core.ui import frame, links, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_senses import choices, sources
from bertviz_core.ui.word_senses.many_occurrences import many_occurrences

bert = frame.page(
    "Word Senses",
    "Do the senses of a word come apart?",
    "Every point is one occurrence of the word. Press Play and watch its senses separate.",
    icon=":material/scatter_plot:",
)


PREPARED: dict[str, dict[str, str | int]] = {
    "bank at the input embedding": {"set": "bank", "layer": 0},
    "three springs": {"set": "spring"},
    "python, groups found without labels": {"set": "python", "colour": "group"},
    "a hard one: crane": {"set": "crane", "map": "t-SNE"},
}

with slots.panel("occurrences", "set", "senseword"):
    source = slots.part("source")
    with slots.options("choices", beside=lambda: links.examples("Word_Senses", "Try", PREPARED)):
        chosen = choices.ask()
    with source, errors_shown():
        request = sources.ask()

with slots.part("senses"):
    many_occurrences(bert, request, chosen)
