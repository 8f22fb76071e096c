"""Follow one word through every layer, in sentences that use it differently."""

from dataclasses import replace
from functools import partial

import streamlit as st

from bertviz_core.contextual.marks import pieces_of
from bertviz_core.contextual.word_vectors import POOLINGS
from bertviz_core.shared.models import SharedEncoder, models
from bertviz_core.ui import computed, draw, fields, html, page, state
from bertviz_core.ui.html import note
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.state import ANCHORS, FURTHER, SECOND, SENTENCE
from bertviz_core.views.word_in_context.comparison import (
    MAX_ANCHORS,
    Comparison,
    WordsToCompare,
    compared,
)
from bertviz_core.views.word_in_context.paths import paths
from bertviz_core.views.word_in_context.reading import read_lines

bert = page.begin(
    "Word in Context",
    "How does context change a word?",
    "Tap a word to follow, and two to compare it with.",
)

MAX_SENTENCES = 12
EXAMPLES: dict[str, dict[str, str | int]] = {
    "bank": {
        "a": "We sat on the bank of the river",
        "a2": "She went to the bank for a loan",
        "anchors": "shore, money",
    },
    "bat": {
        "a": "A bat flew out of the cave",
        "a2": "He swung the bat at the ball",
        "anchors": "animal, club",
    },
    "right": {
        "a": "Turn right at the corner",
        "a2": "You are right about that",
        "more": "It is my right",
        "anchors": "left, correct, law",
    },
    "in pieces": {
        "a": "Their awesomesauce tastes of pepper",
        "a2": "That goal was awesomesauce",
        "anchors": "ketchup, great",
        "section": "pieces and pooling",
    },
}


def compare_words() -> None:
    """Ask for sentences and anchor words, and compare the followed words with them."""
    with page.panel("sentences", SENTENCE, SECOND, ANCHORS):
        with st.grid(2, key="cells-typed") as cells:
            typed, chips = fields.ask_two(cells)
        anchors_slot = st.container(key="part-anchors")
        examples = partial(html.examples, EXAMPLES)
        with page.options("sentences", beside=examples):
            further = fields.lines(
                "Further sentences, one per line",
                "",
                key=FURTHER,
                help="In every sentence, [brackets] mark a word as a tap does, also several: the "
                r"[bank] of the river by the [bank]. `\[` is a literal bracket.",
                height=84,
            )
            words = fields.ask_word()
            pooling_slot = st.container(key="part-pooled")
        first, second, *rest = read_lines(bert, [*typed, *further[: MAX_SENTENCES - 2]], words)
        rows = {SENTENCE: [first], SECOND: [second], FURTHER: rest}
        with anchors_slot:
            fields.show_words(rows, FURTHER)
        for key, slot in zip(rows, chips, strict=False):
            with slot:
                fields.show_words(rows, key)
        lines = [line for line in (first, second, *rest) if line.text.strip()]
        with anchors_slot, page.cells_for_anchors() as cells:
            with cells.cell():
                anchors = fields.ask_anchors(lines)
            near = cells.cell()
        pooling = POOLINGS[0]
        marks = [(mark, line.tokens) for line in lines for mark in line.followed]
        if any(len(pieces_of(*one)) > 1 for one in marks):
            with pooling_slot:
                pooling = fields.choice(
                    "A word of several pieces: pool by",
                    POOLINGS,
                    key="pooling",
                    help="How the vectors of a word's pieces become one: their mean, the first "
                    "or the last piece, or the largest value in each dimension.",
                )
    for name, given, most in (
        ("further sentences", further, MAX_SENTENCES - 2),
        ("anchor words", anchors, MAX_ANCHORS),
    ):
        if len(given) > most:
            cut = "{given} {name} were given; the first {most} are compared."
            note(cut, given=len(given), name=name, most=most)
    request = WordsToCompare(
        tuple(mark for mark, _ in marks),
        tuple(anchors[:MAX_ANCHORS]),
        pooling,
        tuple((line.text, line.tokens) for line in lines),
    )
    # On a first visit measuring waits for a click, because it takes 70 MB more.
    first_run = not models.has_encoder(bert.name)
    with waiting("Running BERT on all sentences …", height=320):
        comparison = compared(SharedEncoder(bert), request)
    with near:
        fields.offer_anchors(comparison)
    draw.show_fragment(at_chosen_layer, comparison, first_run, {})


def at_chosen_layer(comparison: Comparison, first_run: bool, first_drawn: dict[str, int]) -> None:
    """Show the words at a layer, and ask for it; the plane's slider sets that field.

    `first_drawn` keeps the layer at which the plane was drawn first. The figures stay as they were,
    and the browser moves them (frames.js); all else comes for each layer.
    """
    with st.container(key="part-slim-plane-layer"):
        last = bert.num_hidden_layers
        layer = fields.number("Layer", 0, last, last, key="layer")
    scales = computed.SCALES.of(bert)
    given = {
        "comparison": replace(comparison, scales=scales),
        "layer": layer,
        "large": state.now().presenting,
        "drawn_at": first_drawn.setdefault("layer", layer),
    }
    draw.show(paths, bert, given, ask_first=False)
    if scales is None:
        computed.SCALES.offer(bert, ask=first_run)
    draw.show_fragment(draw.sections, bert, given, ask_first=False)


draw.show_fragment(compare_words)
