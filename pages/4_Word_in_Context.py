"""Follow one word through every layer, in sentences that use it differently."""

from bertviz_core.ui import frame, inputs, links, slots
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.word_in_context import words
from bertviz_core.ui.word_in_context.at_layer import at_chosen_layer

bert = frame.page(
    "Word in Context",
    "How does context change a word?",
    "BERT starts from the same row for a word in every sentence and moves it layer by "
    r"layer. Put the word to follow in brackets (`\[` for a literal one); compare it with anchors.",
    icon=":material/compare_arrows:",
)

with slots.panel("sentences"):
    left, right = slots.row("sentences", [3, 2])
    with left:
        sentences = inputs.lines(
            "Sentences, one a line, the word in [brackets]",
            "I love my pet [python]\nI love coding in [python]",
            key="s",
            help="Several words may be marked, in one sentence as well: "
            "the [bank] of the river by the [bank].",
        )
    with right:
        anchors = words.split_anchors(
            inputs.sentence(
                "Anchor words, separated by commas", "snake, programming", key="anchors"
            )
        )
        pooling = inputs.choice(
            "A word of several pieces: pool by",
            words.POOLING_CHOICES,
            key="pooling",
            help="How the vectors of a word's pieces become one: their mean, the first or the "
            "last piece, or the largest value in each dimension.",
        )
    links.examples("Word_in_Context", "Try", words.EXAMPLES)

with errors_shown():
    compared = words.compare(bert, sentences, anchors, pooling)
    with slots.part("at-layer"):
        at_chosen_layer(compared)
