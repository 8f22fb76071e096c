"""Many occurrences of one word on a map, and the layer where its senses come apart."""

from bertviz_core.ui import frame, links, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_senses import sources
from bertviz_core.ui.word_senses.many_occurrences import many_occurrences

bert = frame.page(
    "Word Senses",
    "Do the senses of a word come apart?",
    "Every point is one occurrence of the word, placed by the vector BERT makes for it in its "
    "sentence. Move the layer slider and watch the senses separate.",
    icon=":material/scatter_plot:",
)

with slots.panel("occurrences"), errors_shown():
    request, pooling = sources.ask()
    links.examples(
        "Word_Senses",
        "Try",
        {
            "bank at the input embedding": {"set": "bank", "layer": 0},
            "three springs": {"set": "spring"},
            "python, groups found without labels": {"set": "python", "colour": "group"},
            "a hard one: crane": {"set": "crane", "map": "t-SNE"},
        },
    )

with slots.part("senses"):
    many_occurrences(bert, request, pooling)
