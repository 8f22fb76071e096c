"""Follow one word through every layer, in sentences that use it differently."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import streamlit as st
from streamlit.errors import StreamlitAPIException

from bertviz_core.contextual.marks import pieces_of
from bertviz_core.encoder import POOLINGS
from bertviz_core.shared import models, shared_encoder
from bertviz_core.ui import computed, frame, inputs, links, slots, views
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.html import Row, note, word_chips
from bertviz_core.ui.jobs import waiting
from bertviz_core.views.word_in_context.paths import paths
from bertviz_core.views.word_in_context.reading import Line, read_lines, tapped
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
        "s": "We sat on the [bank] of the river\nShe went to the [bank] for a loan",
        "anchors": "shore, money",
    },
    "bat": {
        "s": "A [bat] flew out of the cave\nHe swung the [bat] at the ball",
        "anchors": "animal, club",
    },
    "right": {
        "s": "Turn [right] at the corner\nYou are [right] about that\nIt is my [right]",
        "anchors": "left, correct, law",
    },
    "in pieces": {
        "s": "Their [awesomesauce] tastes of pepper\nThat goal was [awesomesauce]",
        "anchors": "ketchup, great",
        "section": "pieces and pooling",
    },
}
EXAMPLE = "I love my pet [python]\nI love coding in [python]"
EXAMPLE_WORD, ANCHORS = "python", "snake, programming"


@fragment
def compare_words() -> None:
    """Ask for sentences and anchor words, and compare the marked words with them."""
    with slots.panel("sentences", "s", "anchors"), slots.cells("typed", 2) as cells:
        with cells.cell():
            typed = inputs.lines(
                "Sentences, one per line",
                EXAMPLE,
                key="s",
                help="Or type [brackets] around it. Several words may be marked, in one "
                r"sentence as well: the [bank] of the river by the [bank]. `\[` is a literal "
                "bracket.",
                height=84,
            )
            lines = read_lines(bert, typed[:MAX_SENTENCES])
            mark_by_tap(lines)
        fit_anchors({line.name(span) for line in lines for span in line.followed})
        with slots.folded_on_phones("anchors", "Compare it with other words"):
            words = inputs.sentence("Compare it with", ANCHORS, key="anchors")
            anchors = list(dict.fromkeys(filter(None, map(str.strip, words.split(",")))))
            offered = slots.part("offered")
            links.examples("Word_in_Context", EXAMPLES)
            pooling = POOLINGS[0]
            marks = [(mark, line.tokens) for line in lines for mark in line.marks]
            if any(len(pieces_of(*one)) > 1 for one in marks):
                pooling = inputs.choice(
                    "A word of several pieces: pool by",
                    POOLINGS,
                    key="pooling",
                    help="How the vectors of a word's pieces become one: their mean, the first "
                    "or the last piece, or the largest value in each dimension.",
                )
    for name, given, most in (
        ("sentences", typed, MAX_SENTENCES),
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


def mark_by_tap(lines: Sequence[Line]) -> None:
    """Show the words of the sentences; a tap changes the field, as if brackets had been typed."""

    def tap(row: int, word: int) -> None:
        st.session_state["s"] = "\n".join(tapped(lines, row, lines[row].words[word]))

    rows = [
        Row(
            "",
            [line.text[slice(*span)] for span in line.words],
            [line.is_followed(span) for span in line.words],
        )
        for line in lines
    ]
    word_chips(rows, tap, name="words")


def fit_anchors(words: set[str]) -> None:
    """Before the field is drawn, take anchors away that belong to words no longer followed."""
    kept, named = st.session_state.get("anchors"), st.query_params.get("anchors")
    words_before, anchors_before = st.session_state.get("_anchored", (words, None))
    st.session_state["_anchored"] = words, kept
    opens_without = kept is None and named is None
    untouched = kept is not None and kept == anchors_before
    if opens_without or (untouched and words.isdisjoint(words_before)):
        fitting = ANCHORS if words == {EXAMPLE_WORD} else ""
        if not (opens_without and fitting):
            st.session_state["anchors"] = fitting
            with suppress(StreamlitAPIException):  # see `following.put`
                st.query_params.pop("anchors", None)
        st.session_state["_anchored"] = words, fitting


def offer_anchors(found: Comparison) -> None:
    """Words to compare with, one tap each; of more than two the one chosen first goes."""
    shown = [anchor.word for anchor in found.anchors]
    names = [found.names[number] for number in found.groups[0]]
    rows = [
        Row(f"{name} leans to", nouns, [noun in shown for noun in nouns])
        for name, nouns in list(zip(names, found.offered, strict=True))[:MAX_OFFERED]
    ]

    def tap(row: int, number: int) -> None:
        word = rows[row].words[number]
        others = [one for one in shown if one != word]
        chosen = others if word in shown else [*others[-1:], word]
        st.session_state["anchors"] = ", ".join(chosen)

    word_chips(rows, tap, name="anchors")


@fragment
def at_chosen_layer(found: Comparison, first_run: bool, first_drawn: dict[bool, int]) -> None:
    """Show the words at a layer, and ask for it; the plane's slider sets that field.

    `first_drawn` keeps the layer at which the plane was drawn first, without percentiles and with
    them. The figures stay as they were, and the browser moves them (frames.js); all else comes for
    each layer.
    """
    with slots.part("slim-plane-layer"):
        last = bert.num_hidden_layers
        layer = inputs.number("Layer", 0, last, last, key="layer")
    scales = computed.SCALES.of(bert)
    found = replace(found, scales=scales)
    given = {
        "found": found,
        "layer": layer,
        "drawn_at": first_drawn.setdefault(scales is None, layer),
    }
    views.show(paths, bert, given, ask_first=False)
    if scales is None:
        computed.SCALES.offer(bert, ask=first_run)
    views.sections(PAGE, bert, given, ask_first=False)


compare_words()
