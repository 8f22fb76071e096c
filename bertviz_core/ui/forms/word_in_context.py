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
from bertviz_core.ui.present import presenting
from bertviz_core.ui.waiting import waiting
from bertviz_core.views.sentences import joined
from bertviz_core.views.word_in_context.followed import (
    Line,
    read_lines,
    tapped,
)
from bertviz_core.views.word_in_context.paths import paths
from bertviz_core.views.word_in_context.pieces import IN_PIECES
from bertviz_core.views.word_in_context.similarities import similarities
from bertviz_core.views.word_in_context.words import PAGE, Comparison, Offer, nouns_for

MOST_SENTENCES = 12
MOST_ANCHORS = 6
MOST_OFFERED = 4  # words that anchors are offered for
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
    with slots.panel("sentences", "s", "anchors"):
        with slots.cells("typed", 2) as cells:
            with cells.cell(), slots.part("sentences"):
                typed = inputs.lines(
                    "Sentences, one per line",
                    EXAMPLE,
                    key="s",
                    help="Or type [brackets] around it. Several words may be marked, in one "
                    r"sentence as well: the [bank] of the river by the [bank]. `\[` is a literal "
                    "bracket.",
                    height=84,
                )
                lines = read_lines(bert, typed[:MOST_SENTENCES])
                _mark_by_tap(lines)
            _anchors_fit({line.name(span) for line in lines for span in line.followed})
            with cells.cell(), slots.part("anchors"):
                words = inputs.sentence("Compare it with", ANCHORS, key="anchors")
                anchors = list(dict.fromkeys(filter(None, map(str.strip, words.split(",")))))
                offered = slots.part("offered")
        with slots.options("words", beside=lambda: links.examples("Word_in_Context", EXAMPLES)):
            pooling = inputs.choice(
                "A word of several pieces: pool by",
                POOLINGS,
                key="pooling",
                help="How the vectors of a word's pieces become one: their mean, the first or "
                "the last piece, or the largest value in each dimension.",
            )
    _first(typed, MOST_SENTENCES, "sentences")
    comparison = Comparison(
        tuple(line.marked for line in lines),
        _first(anchors, MOST_ANCHORS, "anchor words"),
        pooling,
    )
    # On a first visit measuring waits for a click, because it takes 70 MB more.
    first_run, offer = not models.has_encoder(bert.name), None
    if comparison.marked:
        with waiting("Looking for words that tell the sentences apart …", height=320):
            offer = nouns_for(shared_encoder(bert), replace(comparison, anchors=()))
        if not anchors:
            comparison = replace(comparison, anchors=offer.pair, searched=True)
    _at_chosen_layer(bert, comparison, first_run, {})
    with offered:
        _offer_anchors(anchors, comparison, offer)


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
    chosen = [line for line in lines if line.chosen]
    if words := {
        line.name(one): line.text[slice(*one)] for line in chosen for one in line.followed
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


def _offer_anchors(anchors: list[str], comparison: Comparison, offer: Offer | None) -> None:
    """Words to compare with, one tap each; of more than two the one chosen first goes."""
    if offer is None:
        return
    shown = comparison.anchors if comparison.searched else anchors
    each = zip(comparison.groups[0], offer.each, strict=True)
    rows = [
        Row(f"{comparison.words[number]} leans to", nouns, [noun in shown for noun in nouns])
        for number, nouns in [*each][:MOST_OFFERED]
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
    bert: Bert, comparison: Comparison, first_run: bool, drawn: dict[object, int]
) -> None:
    """Show the words at a layer, and ask for it; the plane's slider sets that field.

    `drawn` holds at which layer the figures were drawn first: they stay as they are, and the
    browser moves them (frames.js), while the sentences, tables and sections come for each layer.
    """
    answer = slots.part("answer")
    with slots.part("slim-plane-layer"):
        last = bert.num_hidden_layers
        layer = inputs.number("Layer", 0, last, last, key="layer")
    axes = _axes(comparison.names[len(comparison.words) :])
    scales = calibrations.known(bert.name)
    moves = len(comparison.anchors) > 1
    given = {
        "comparison": comparison,
        "layer": layer,
        "drawn": drawn.setdefault((axes, scales is None), layer) if moves else layer,
        "axes": axes,
        "scales": scales,
        "large": presenting(),
    }
    with answer:
        views.show(paths, bert, given, ask_first=False)
    if scales is None:
        calibrations.measure_beside(bert, ask=first_run)
    if len(comparison.names) < 2:
        return
    views.show(similarities, bert, given, ask_first=False)
    views.sections(PAGE, bert, given, ask_first=False)


def _axes(anchors: list[str]) -> tuple[str, ...]:
    """The anchors of the plane; of more than two, two are asked for."""
    if len(anchors) > 2:
        with slots.cells("axes", 2):
            across = inputs.listed("Across", anchors, key="across")
            up = inputs.listed("Up", [name for name in anchors if name != across], key="up")
        return across, up
    return tuple(anchors)
