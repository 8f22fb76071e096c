"""How a whole sentence becomes one vector, and whether a cosine of two is high."""

import streamlit as st

from bertviz_core.ui import draw, fields, html, page
from bertviz_core.ui.html import note
from bertviz_core.ui.state import OTHERS, SENTENCE
from bertviz_core.views.sentence_vectors.matrix import matrix
from bertviz_core.views.sentence_vectors.recipe import Brought

bert = page.begin(
    "Sentence Vectors",
    "How does a sentence become one vector?",
    "BERT has one vector for each token. Choose how they become one; a cosine compares two.",
)

MAX_SENTENCES = 12
EXAMPLE = "How old are you?"
EXAMPLE_OTHERS = "What is your age?\nHow are you?\nMy train leaves at noon."
EXAMPLES: dict[str, dict[str, str | int]] = {
    "the mean of the token table": {"way": "token table"},
    "unrelated, and 0.8": {
        "a": "My train leaves at noon from the platform behind the old post office.",
        "others": "She painted the wooden fence green before her parents came home for dinner.",
        "way": "max",
    },
    "who bit whom": {
        "a": "The dog bit the man.",
        "others": "The man bit the dog.\nA man was attacked by his pet.",
    },
}


def compare_sentences() -> None:
    """Ask for sentences, and for how each becomes one vector; compare them all."""
    with page.panel("sentences", SENTENCE, OTHERS, "way"):
        with st.grid(2, key="cells-typed") as cells:
            with cells.cell(), st.container(key="part-lines"):
                first = fields.sentence("A sentence", EXAMPLE, key=SENTENCE)
                label = "Others, one per line"
                others = fields.lines(label, EXAMPLE_OTHERS, key=OTHERS, height=100)
            with cells.cell(), st.container(key="part-way"):
                chosen = draw.ask(matrix, {"bert": bert})
        html.examples(EXAMPLES)
    typed = [text for text in (first.strip(), *others) if text]
    if len(typed) > MAX_SENTENCES:
        note(
            "{given} sentences were given; the first {most} are compared.",
            given=len(typed),
            most=MAX_SENTENCES,
        )
    given = {"sentences": tuple(typed[:MAX_SENTENCES])}
    draw.show(matrix, bert, given, chosen=chosen, ask_first=False)

    def brought() -> Brought:
        from bertviz_core.ui.recipes import ask_vectors  # takes 0.3 s, for one section

        return ask_vectors(bert, first)

    draw.show_fragment(draw.sections, bert, {}, {"brought": brought})


draw.show_fragment(compare_sentences)
