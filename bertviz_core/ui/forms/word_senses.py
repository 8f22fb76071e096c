"""What the page Word Senses asks for, and its map, on which a tap chooses an occurrence."""

from typing import Any

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.encoder import POOLINGS, Pooling
from bertviz_core.ui import inputs, links, slots, views
from bertviz_core.ui.draw import Drawing, selected_on
from bertviz_core.ui.errors import errors_shown, fragment
from bertviz_core.ui.forms.word_senses_runs import heads_of, mapped_of, say_what_is_missing
from bertviz_core.ui.forms.word_senses_sources import OWN, Request, asked_for
from bertviz_core.ui.jobs import waiting
from bertviz_core.views.view import Beside
from bertviz_core.views.word_senses.mapped import MAPS, PAGE, Mapped, scores_of
from bertviz_core.views.word_senses.occurrence_map import selected_sentences, sense_map

NEAR = "near"
LOOKED_FOR = "_looked_for"  # in the session: the word, for the line of a folded panel
EXAMPLES: dict[str, dict[str, str | int]] = {
    "spring": {"set": "spring"},
    "crane": {"set": "crane"},
    "my own lines": {"from": OWN},
}


def word_senses(bert: Bert) -> None:
    """Ask which occurrences, and how they are shown, and show them."""
    with errors_shown(), slots.panel("occurrences", LOOKED_FOR):
        source = slots.part("source")
        with slots.options("choices", beside=lambda: links.examples("Word_Senses", EXAMPLES)):
            choices = views.ask(sense_map, {})
            pooling = inputs.choice("A word of several pieces: pool by", POOLINGS, key="pooling")
        with source:
            request = asked_for()
            st.session_state[LOOKED_FOR] = request.word
    _senses(bert, request, pooling, choices)


@fragment
def _senses(bert: Bert, request: Request, pooling: Pooling, choices: dict[str, Any]) -> None:
    """The vectors are not an argument: what a fragment is given is kept for each viewer."""
    mapped = mapped_of(bert, request, pooling)
    say_what_is_missing(bert, request, mapped)
    top = st.container()
    left, right = slots.part("row-map").columns([3, 2], gap="medium")
    with left, slots.part("slim-layer"):
        layer = _layer(mapped)
    with right, slots.part("slim-near"):
        near = _number(mapped)
    with left, waiting("Placing and grouping the occurrences …", height=480):
        made = sense_map.make(bert, mapped, layer, near, **choices)
    finding, both, *rest = made.parts
    assert isinstance(both, Beside)
    drawing = Drawing(made)
    for place, parts in ((top, [finding]), *zip((left, right), both.columns, strict=True)):
        with place:
            drawing.draw(parts)
    selected = selected_on(MAPS[choices["kind"]])
    drawing.draw([*selected_sentences(mapped, layer, choices["groups"], selected), *rest])
    given = {
        "layer": layer,
        "near": near,
        "kind": choices["kind"],
        "groups": choices["groups"],
        "word": mapped.word,
        "scorable": mapped.scorable,
    }
    lazy = {
        "mapped": lambda: mapped_of(bert, request, pooling),
        "heads_agreement": lambda: heads_of(bert),
    }
    views.sections(PAGE, bert, given, lazy)


def _layer(mapped: Mapped) -> int:
    """Ask for the layer; at first the one that the finding names, or the last one."""
    if len(mapped.layers) == 1:  # a slider needs two ends
        return mapped.layers[0]
    first = mapped.layers[-1]
    if mapped.scorable:
        with waiting("Scoring every layer …", height=480):
            first = mapped.layers[scores_of(mapped).best[0]]
    return inputs.one_number("Layer", mapped.layers, first, key="layer")


def _number(mapped: Mapped) -> int:
    """Ask for the occurrence that is looked at, by its number from 1."""
    last = len(mapped.occurrences)
    inputs.reset_unless(NEAR, lambda kept: type(kept) in inputs.NUMBER and 1 <= kept <= last, 1)
    # No default is given, because a click on the map may set the value beforehand.
    return int(st.slider("Occurrence", 1, last, key=NEAR, **inputs.BOUND))
