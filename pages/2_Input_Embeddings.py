"""The three embeddings that are added for each token, as heatmaps, and the proof."""

from functools import partial

from bertviz_core.ui import frame, inputs, links, slots, views
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.present import look
from bertviz_core.views.input_embeddings.sum_of_parts import sum_of_parts

bert = frame.page(
    "Input Embeddings",
    "What goes into BERT's first layer?",
    "The sum of three rows for each token, brought to one scale by LayerNorm.",
    icon=":material/layers:",
)

EXAMPLES: dict[str, dict[str, str | int]] = {
    "I am Sinan": {"a": "I am Sinan"},
    "a pair of sentences": {"a": "I am Sinan", "b": "She is Zoe"},
    "the same word twice": {"a": "the cat sat on the mat"},
}


@fragment
def sum_up() -> None:
    """Ask for a sentence, or a pair, and show what is added up for its tokens."""
    with slots.panel("sentences", "a", "b"):
        typed = inputs.text_and_pair("Sentence", "I love my pet python")
        text = typed.tokenize(bert)
        examples = partial(links.examples, "Input_Embeddings", EXAMPLES)
        with slots.options("sentences", beside=examples):
            chosen = views.ask(sum_of_parts, {"bert": bert, "length": len(text)})
            position = inputs.token_position(typed, text)
    given = {"typed": typed, "position": position, "large": bool(look())}
    views.show(sum_of_parts, bert, given, chosen=chosen)
    views.sections("Input Embeddings", bert, given)


sum_up()
