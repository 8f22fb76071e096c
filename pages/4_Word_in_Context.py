"""Follow one word through every layer, in sentences that use it differently."""

from dataclasses import replace
from functools import partial

import streamlit as st

from bertviz_core.contextual.marks import pieces_of
from bertviz_core.encoder import POOLINGS
from bertviz_core.shared import models, shared_encoder
from bertviz_core.ui import computed, frame, inputs, links, slots, views
from bertviz_core.ui.address import FURTHER, SECOND, SENTENCE
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.followed import ask_two, ask_word, show_words
from bertviz_core.ui.html import Row, note, word_chips
from bertviz_core.ui.jobs import waiting
from bertviz_core.views.word_in_context.paths import paths
from bertviz_core.views.word_in_context.reading import read_lines
from bertviz_core.views.word_in_context.words import PAGE, Comparison, WordsToCompare, compared

bert = frame.page(
    "Word in Context",
    "How does context change a word?",
    "Tap a word to follow, and two to compare it with.",
    icon=":material/compare_arrows:",
)

MAX_SENTENCES = 12
MAX_ANCHORS = 6
MAX_OFFERED = 4  # words that anchors are offered for
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
ANCHORED = "_anchored"  # in the session: the followed words and their anchors
EXAMPLE_WORD, ANCHORS = "python", "snake, programming"


@fragment
def compare_words() -> None:
    """Ask for sentences and anchor words, and compare the followed words with them."""
    with slots.panel("sentences", SENTENCE, SECOND, "anchors"):
        with slots.cells("typed", 2) as cells:
            typed, chips = ask_two(cells)
        anchors_slot = slots.part("anchors")
        examples = partial(links.examples, "Word_in_Context", EXAMPLES)
        with slots.options("sentences", beside=examples):
            further = inputs.lines(
                "Further sentences, one per line",
                "",
                key=FURTHER,
                help="In every sentence, [brackets] mark a word as a tap does, also several: the "
                r"[bank] of the river by the [bank]. `\[` is a literal bracket.",
                height=84,
            )
            words = ask_word()
            pooling_slot = slots.part("pooled")
        first, second, *rest = read_lines(bert, [*typed, *further[: MAX_SENTENCES - 2]], words)
        fields = {SENTENCE: [first], SECOND: [second], FURTHER: rest}
        with anchors_slot:
            show_words(fields, FURTHER)
        for key, slot in zip(fields, chips, strict=False):
            with slot:
                show_words(fields, key)
        lines = [line for line in (first, second, *rest) if line.text.strip()]
        followed = {line.name(span) for line in lines for span in line.followed}
        with (
            anchors_slot,
            slots.folded_on_phones("anchors", "Compare it with other words"),
            slots.cells("anchors", 2) as cells,
        ):
            with cells.cell():
                default = fitting_anchors(followed)
                named = inputs.sentence("Compare it with", default, key="anchors")
                st.session_state[ANCHORED] = followed, named
            offered = cells.cell()
        anchors = list(dict.fromkeys(filter(None, map(str.strip, named.split(",")))))
        pooling = POOLINGS[0]
        marks = [(mark, line.tokens) for line in lines for mark in line.marks]
        if any(len(pieces_of(*one)) > 1 for one in marks):
            with pooling_slot:
                pooling = inputs.choice(
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
        found = compared(shared_encoder(bert), request)
    with offered:
        offer_anchors(found)
    at_chosen_layer(found, first_run, {})


def fitting_anchors(words: set[str]) -> str:
    """The anchors to propose; those of words that are no longer followed are taken away."""
    proposal = ANCHORS if words == {EXAMPLE_WORD} else ""
    words_before, anchors = st.session_state.get(ANCHORED, (words, ""))
    if words.isdisjoint(words_before) and st.session_state.get("anchors") == anchors:
        st.session_state["anchors"] = proposal
    return proposal


def offer_anchors(found: Comparison) -> None:
    """Words to compare with, one tap each; of more than two the one chosen first goes."""
    shown = [anchor.word for anchor in found.anchors]
    names = [found.names[number] for number in found.groups[0]]
    rows = [
        Row(f"{name} leans to", nouns, [noun in shown for noun in nouns])
        for name, nouns in list(zip(names, found.offered, strict=False))[:MAX_OFFERED]
    ]

    def tap(row: int, number: int) -> None:
        word = rows[row].words[number]
        others = [one for one in shown if one != word]
        chosen = others if word in shown else [*others[-1:], word]
        st.session_state["anchors"] = ", ".join(chosen)

    word_chips(rows, tap, name="anchors")


@fragment
def at_chosen_layer(found: Comparison, first_run: bool, first_drawn: dict[str, int]) -> None:
    """Show the words at a layer, and ask for it; the plane's slider sets that field.

    `first_drawn` keeps the layer at which the plane was drawn first. The figures stay as they were,
    and the browser moves them (frames.js); all else comes for each layer.
    """
    with slots.part("slim-plane-layer"):
        last = bert.num_hidden_layers
        layer = inputs.number("Layer", 0, last, last, key="layer")
    scales = computed.SCALES.of(bert)
    found = replace(found, scales=scales)
    given = {
        "found": found,
        "layer": layer,
        "drawn_at": first_drawn.setdefault("layer", layer),
    }
    views.show(paths, bert, given, ask_first=False)
    if scales is None:
        computed.SCALES.offer(bert, ask=first_run)
    views.sections(PAGE, bert, given, ask_first=False)


compare_words()
