"""Many occurrences of one word on a map, layer by layer, and whether its senses come apart."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from bertviz_core.contextual.word_vectors import POOLINGS
from bertviz_core.ui import draw, fields, html, page
from bertviz_core.ui.draw import Drawing
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.senses import OWN_LINES, ask_source
from bertviz_core.ui.state import BOUND
from bertviz_core.views.parts import Beside
from bertviz_core.views.word_senses.occurrence_map import sense_map
from bertviz_core.views.word_senses.sense_map import SenseMap, scores_of

bert = page.begin(
    "Word Senses",
    "Do the senses of a word come apart?",
    "Each point is an occurrence of the word; Play moves them through the layers.",
)

EXAMPLES: dict[str, dict[str, str | int]] = {
    "spring": {"set": "spring"},
    "crane": {"set": "crane"},
    OWN_LINES: {"from": OWN_LINES},
}


def show_map(make_map: Callable[[], SenseMap], how: dict[str, Any]) -> None:
    """The map of the occurrences, on which a tap chooses one, and the sections below."""
    mapped = make_map()
    top = st.container()
    left, right = st.container(key="part-row-map").columns([3, 2], gap="medium")
    with left, st.container(key="part-slim-layer"):
        layer = ask_layer(mapped)
    with right, st.container(key="part-slim-near"):
        near = ask_occurrence(len(mapped.occurrences))
    with left, waiting("Placing and grouping the occurrences …", height=480):
        view = sense_map.make(bert, mapped, layer, near, **how)
    (both,) = (part for part in view.parts if isinstance(part, Beside))
    at = view.parts.index(both)
    drawing = Drawing(view)
    for slot, parts in ((top, view.parts[:at]), *zip((left, right), both.columns, strict=True)):
        with slot:
            drawing.draw(parts)
    drawing.draw(view.parts[at + 1 :])
    given = {"layer": layer, "near": near, "word": mapped.word, "scorable": mapped.scorable}
    draw.show_fragment(draw.sections, bert, given | how, {"mapped": make_map})


def ask_layer(mapped: SenseMap) -> int:
    """Ask for the layer; at first the one that the finding names, or the last one."""
    if len(mapped.layers) == 1:  # a slider needs two ends
        return mapped.layers[0]
    first = mapped.layers[-1]
    if mapped.scorable:
        with waiting("Scoring every layer …", height=480):
            first = mapped.layers[scores_of(mapped).best[0]]
    return fields.one_number("Layer", mapped.layers, first, key="layer")


def ask_occurrence(last: int) -> int:
    """Ask for the occurrence that is looked at, by its number from 1."""
    fields.reset_unless("near", lambda kept: 1 <= kept <= last, 1)
    # No default is given, because a click on the map may set the value beforehand.
    return int(st.slider("Occurrence", 1, last, key="near", **BOUND))


with draw.errors_shown(), page.panel("occurrences") as folded:
    source = st.container(key="part-source")
    with page.options("choices", beside=partial(html.examples, EXAMPLES)):
        how = draw.ask(sense_map, {})
        pooling = fields.choice("A word of several pieces: pool by", POOLINGS, key="pooling")
    with source:
        word, make_map = ask_source(bert, pooling)
    folded.append(word)

draw.show_fragment(show_map, make_map, how)
