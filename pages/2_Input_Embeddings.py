"""The three embeddings that are added for each token, as heatmaps, and the proof."""

from functools import partial

from bertviz_core.ui import draw, fields, html, page, state
from bertviz_core.views.input_embeddings.sum_of_parts import sum_of_parts

bert = page.begin(
    "Input Embeddings",
    "What goes into BERT's first layer?",
    "The sum of three rows for each token, brought to one scale by LayerNorm.",
)

EXAMPLES: dict[str, dict[str, str | int]] = {
    "I am Sinan": {"a": "I am Sinan"},
    "a pair of sentences": {"a": "I am Sinan", "b": "She is Zoe"},
    "the same word twice": {"a": "the cat sat on the mat"},
}


def sum_up() -> None:
    """Ask for a sentence, or a pair, and show what is added up for its tokens."""
    with page.panel("sentences", "a", "b"):
        typed = fields.text_and_pair("Sentence", "I love my pet python")
        text = typed.tokenize(bert)
        examples = partial(html.examples, EXAMPLES)
        with page.options("sentences", beside=examples):
            chosen = draw.ask(sum_of_parts, {"bert": bert, "length": len(text)})
            position = fields.token_position(typed, text)
    given = {"typed": typed, "position": position, "large": bool(state.now().look)}
    draw.show(sum_of_parts, bert, given, chosen=chosen)
    draw.show_fragment(draw.sections, bert, given)


draw.show_fragment(sum_up)
