"""The fields of the page Word in Context, which a tap on a word may fill."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import streamlit as st
from streamlit.errors import StreamlitAPIException

from bertviz_core.bert import Bert
from bertviz_core.encoder import POOLINGS
from bertviz_core.shared import models, shared_encoder
from bertviz_core.ui import calibrations, inputs, links, slots, views
from bertviz_core.ui.chips import Row, word_chips
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.html import caption, note
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.present import presenting
from bertviz_core.views.sentences import joined
from bertviz_core.views.word_in_context.paths import paths
from bertviz_core.views.word_in_context.pieces import IN_PIECES
from bertviz_core.views.word_in_context.reading import Line, read_lines, tapped
from bertviz_core.views.word_in_context.words import PAGE, Compared, Comparison, compared

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
    "in pieces": dict(IN_PIECES),
}


EXAMPLE = "I love my pet [python]\nI love coding in [python]"
EXAMPLE_WORD, ANCHORS = "python", "snake, programming"
ANCHORED = "_anchored"  # in the session: the followed words, and the anchors they had


@fragment
def compare_words(bert: Bert) -> None:
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
            _mark_by_tap(lines)
        _anchors_fit({line.name(span) for line in lines for span in line.followed})
        with slots.folded_on_phones("anchors", "Compare it with other words"):
            words = inputs.sentence("Compare it with", ANCHORS, key="anchors")
            anchors = list(dict.fromkeys(filter(None, map(str.strip, words.split(",")))))
            offered = slots.part("offered")
            links.examples("Word_in_Context", EXAMPLES)
            pooling = POOLINGS[0]
            if any(line.in_pieces for line in lines):
                pooling = inputs.choice(
                    "A word of several pieces: pool by",
                    POOLINGS,
                    key="pooling",
                    help="How the vectors of a word's pieces become one: their mean, the first "
                    "or the last piece, or the largest value in each dimension.",
                )
    _first(typed, MAX_SENTENCES, "sentences")
    comparison = Comparison(
        tuple(mark for line in lines for mark in line.marks),
        _first(anchors, MAX_ANCHORS, "anchor words"),
        pooling,
        tuple((line.text, line.tokens) for line in lines),
    )
    # On a first visit measuring waits for a click, because it takes 70 MB more.
    first_run = not models.has_encoder(bert.name)
    with waiting("Running BERT on all sentences …", height=320):
        found = compared(shared_encoder(bert), comparison)
    with offered:
        _offer_anchors(found)
    _at_chosen_layer(bert, found, first_run, {})


def _mark_by_tap(lines: Sequence[Line]) -> None:
    """Show the words of the sentences; a tap changes the field, as if brackets had been typed."""

    def tap(number: int, word: int) -> None:
        st.session_state["s"] = "\n".join(tapped(lines, number, lines[number].words[word]))

    rows = [
        Row(
            "",
            [line.text[slice(*span)] for span in line.words],
            [line.is_followed(span) for span in line.words],
        )
        for line in lines
    ]
    word_chips(rows, tap, name="words")
    if words := {
        mark.word.casefold(): mark.word for line in lines if line.chosen for mark in line.marks
    }:
        caption(
            "In sentences without a mark the page follows <b>{word}</b>.",
            word=joined(words.values()),
        )


def _anchors_fit(words: set[str]) -> None:
    """Before the field is drawn, take anchors away that belong to words no longer followed."""
    kept, named = st.session_state.get("anchors"), st.query_params.get("anchors")
    of_words, before = st.session_state.get(ANCHORED, (words, None))
    st.session_state[ANCHORED] = words, kept
    opens_without = kept is None and named is None
    if opens_without or (kept is not None and kept == before and words.isdisjoint(of_words)):
        fitting = ANCHORS if words == {EXAMPLE_WORD} else ""
        if not (opens_without and fitting):
            st.session_state["anchors"] = fitting
            with suppress(StreamlitAPIException):  # see `following._show`
                st.query_params.pop("anchors", None)
        st.session_state[ANCHORED] = words, fitting


def _offer_anchors(found: Compared) -> None:
    """Words to compare with, one tap each; of more than two the one chosen first goes."""
    shown = [anchor.word for anchor in found.anchors]
    names = [found.names[number] for number in found.comparison.groups[0]]
    rows = [
        Row(f"{name} leans to", nouns, [noun in shown for noun in nouns])
        for name, nouns in list(zip(names, found.offered, strict=True))[:MAX_OFFERED]
    ]

    def tap(number: int, place: int) -> None:
        word = rows[number].words[place]
        others = [one for one in shown if one != word]
        chosen = others if word in shown else [*others[-1:], word]
        st.session_state["anchors"] = ", ".join(chosen)

    word_chips(rows, tap, name="anchors")


def _first(given: Sequence[str], most: int, name: str) -> tuple[str, ...]:
    if len(given) > most:
        cut = "{given} {name} were given; the first {most} are compared."
        note(cut, given=len(given), name=name, most=most)
    return tuple(given[:most])


@fragment
def _at_chosen_layer(
    bert: Bert, found: Compared, first_run: bool, drawn: dict[object, int]
) -> None:
    """Show the words at a layer, and ask for it; the plane's slider sets that field.

    `drawn` holds at which layer the figures were drawn first: they stay as they are, and the
    browser moves them (frames.js), while the sentences, tables and sections come for each layer.
    """
    with slots.part("slim-plane-layer"):
        last = bert.num_hidden_layers
        layer = inputs.number("Layer", 0, last, last, key="layer")
    scales = calibrations.known(bert)
    found = replace(found, scales=scales)
    axes = found.axes(layer)
    given = {
        "found": found,
        "layer": layer,
        "drawn": drawn.setdefault((axes, scales is None), layer) if len(axes) > 1 else layer,
        "large": presenting(),
    }
    views.show(paths, bert, given, ask_first=False)
    if scales is None:
        calibrations.measure_beside(bert, ask=first_run)
    views.sections(PAGE, bert, given, ask_first=False)
