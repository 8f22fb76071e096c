"""Many occurrences of one word on a map, layer by layer, and whether its senses come apart."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator as Slot

from bertviz_core.encoder import POOLINGS, Pooling
from bertviz_core.senses import find_occurrences, prepared_set, prepared_words
from bertviz_core.senses.occurrences import shared_word
from bertviz_core.ui import frame, html, inputs, links, senses, slots, views
from bertviz_core.ui.address import BOUND
from bertviz_core.ui.draw import Drawing, selected_on
from bertviz_core.ui.errors import errors_shown, fragment
from bertviz_core.ui.jobs import waiting
from bertviz_core.views.view import Beside
from bertviz_core.views.word_senses.corpora import offered_corpora, opened
from bertviz_core.views.word_senses.occurrence_map import selected_sentences, sense_map
from bertviz_core.views.word_senses.sense_map import MAPS, PAGE, SenseMap, scores_of

bert = frame.page(
    "Word Senses",
    "Do the senses of a word come apart?",
    "Each point is an occurrence of the word; Play moves them through the layers.",
    icon=":material/scatter_plot:",
)

PREPARED, OWN, TEXT, VECTORS = "prepared set", "my own lines", "text file", "file of vectors"
CORPUS = "a corpus"  # where the operator offers one
FIRST, FIRST_OWN = "bank", "light"
SENSE_OR_GROUP, NOTHING = "sense or group", "nothing"
EXAMPLES: dict[str, dict[str, str | int]] = {
    "spring": {"set": "spring"},
    "crane": {"set": "crane"},
    "my own lines": {"from": OWN},
}
OWN_LINES = """\
The crew had to light the ship by hand.
Turn off the light when you leave.
A light rain fell all night.
She packed light for the journey.
This bag is light enough for a child.
The light in the kitchen is broken.
Morning light came through the window.
He prefers a light meal in the evening."""
LABELS = (
    "For labels, let the first line be “sense”, a tab, “sentence”, and begin each other line with "
    "its label and a tab. In a line with the word in [brackets], only the marked ones are meant."
)
OF_VECTORS = (
    "Made with `np.savez(file, vectors=..., labels=...)`: vectors of the shape (n, numbers) or (n, "
    "layers, numbers); labels that repeat colour the points. In place of labels: `sentence`, and "
    "`start` and `end` of the word in it, counted from 0. `layers`, `word` and `sense` may be "
    "there; further arrays can colour the points."
)
LINES = "text, up to 5 MB (<code>bert-explorer occurrences</code> reads any size and more kinds)"
NPZ = "NPZ, up to 20 MB (<code>bert-explorer export</code> takes a sample of a corpus)"


# A fragment's arguments are kept for each viewer, and vectors are large: so it is given what finds
# them in the cache that all viewers share.
MakeMap = Callable[[], SenseMap]


def ask_source(pooling: Pooling) -> tuple[str, MakeMap]:
    """Ask where the occurrences come from, and which word; the word, and what makes its map."""
    left, right = slots.part("row-occurrences").columns([3, 2])
    sources = {PREPARED: ask_prepared, OWN: ask_lines, TEXT: ask_text, VECTORS: ask_vectors}
    if offered_corpora():
        sources[CORPUS] = ask_corpus
    with left:
        source = inputs.listed("Occurrences from", list(sources), key="from")
    return sources[source](right, slots.part("lines"), pooling)


def ask_prepared(right: Slot, below: Slot, pooling: Pooling) -> tuple[str, MakeMap]:
    """Ask for a word of the shipped sets."""
    with right:
        words = [FIRST, *(word for word in prepared_words() if word != FIRST)]
        word = inputs.listed("Word", words, key="set")
    return word, partial(senses.of_lines, bert, prepared_set(word), pooling)


def ask_lines(right: Slot, below: Slot, pooling: Pooling) -> tuple[str, MakeMap]:
    """Ask for lines, and for a word in them; at first the one that all of them share."""
    with below:
        label = "Lines with the word, at least three"
        typed = inputs.lines(label, OWN_LINES, key="lines", help=LABELS)
    with right:
        first = shared_word(typed) or FIRST_OWN
        inputs.propose("senseword", first)
        word = inputs.sentence("Word to look for", first, key="senseword")
    return word, partial(senses.of_lines, bert, find_occurrences(typed, word), pooling)


def ask_text(right: Slot, below: Slot, pooling: Pooling) -> tuple[str, MakeMap]:
    """Ask for a text file, and for a word in it."""
    with right:
        word = inputs.sentence("Word to look for", FIRST_OWN, key="senseword")
    with below:
        upload = senses.kept_upload(
            f"Text, one sentence per line, up to {senses.MAX_TEXT_MB} MB",
            key="text",
            kinds=["txt", "tsv", "text", "md", "text/plain"],
            megabytes=senses.MAX_TEXT_MB,
            help=LABELS,
        )
        if upload is None:
            return word, partial(wait_for, LINES)
        return word, partial(senses.of_lines, bert, senses.searched(upload, word), pooling)


def ask_corpus(right: Slot, below: Slot, pooling: Pooling) -> tuple[str, MakeMap]:
    """Ask for a corpus and a word of it, and what the sample is spread over."""
    with right:
        corpus = opened(inputs.listed("Corpus", list(offered_corpora()), key="corpus"))
    with below, slots.cells("corpus", 2):
        word = inputs.listed("Word", list(corpus.occurrences.words), key="corpusword")
        column = inputs.listed(
            "Spread the sample over, and colour by",
            [NOTHING, *corpus.columns],
            key="spread",
            help="With a column, the sample is spread evenly over its values. Without one it is "
            "drawn at random, coloured by sense or group.",
        )
    return word, partial(senses.of_corpus, corpus, word, None if column == NOTHING else column)


def ask_vectors(right: Slot, below: Slot, pooling: Pooling) -> tuple[str, MakeMap]:
    """Ask for a file of vectors, and which of its words and columns, if it has several."""
    with right:
        upload = senses.kept_upload(
            f"NPZ file with vectors, up to {senses.MAX_VECTORS_MB} MB",
            key="vectors",
            kinds=["npz", "application/zip"],
            megabytes=senses.MAX_VECTORS_MB,
            help=OF_VECTORS,
        )
    if upload is None:
        return "", partial(wait_for, NPZ)
    with below, waiting("Reading the file …", height=120):
        first = senses.opened_file(upload, "")
    word, column = first.word, SENSE_OR_GROUP
    with below, slots.cells("vectors", 2):
        if len(first.counts) > 1:
            words = sorted(first.counts, key=lambda word: (-first.counts[word], word))
            word = inputs.listed("Word", words, key="fileword")
        if first.columns:
            column = inputs.listed("Colour by", [SENSE_OR_GROUP, *first.columns], key="filecolumn")
    # "" opens the file as it was opened above.
    given = "" if word == first.word else word
    return given, partial(senses.of_file, upload, given, column)


def wait_for(taken: str) -> SenseMap:
    """Wait for a file; of one that it refuses, the field shows the name in red and no word."""
    html.note(f"Upload a file to see its map here: {taken}. A red one was not taken.")
    st.stop()


@fragment
def show_map(make_map: MakeMap, how: dict[str, Any]) -> None:
    """The map of the occurrences, on which a tap chooses one, and the sections below."""
    mapped = make_map()
    top = st.container()
    left, right = slots.part("row-map").columns([3, 2], gap="medium")
    with left, slots.part("slim-layer"):
        layer = ask_layer(mapped)
    with right, slots.part("slim-near"):
        near = ask_occurrence(mapped)
    with left, waiting("Placing and grouping the occurrences …", height=480):
        view = sense_map.make(bert, mapped, layer, near, **how)
    (both,) = (part for part in view.parts if isinstance(part, Beside))
    at = view.parts.index(both)
    drawing = Drawing(view)
    for slot, parts in ((top, view.parts[:at]), *zip((left, right), both.columns, strict=True)):
        with slot:
            drawing.draw(parts)
    selected = selected_on(MAPS[how["kind"]])
    drawing.draw([*selected_sentences(mapped, layer, selected), *view.parts[at + 1 :]])
    given = {"layer": layer, "near": near, "word": mapped.word, "scorable": mapped.scorable}
    views.sections(PAGE, bert, given | how, {"mapped": make_map})


def ask_layer(mapped: SenseMap) -> int:
    """Ask for the layer; at first the one that the finding names, or the last one."""
    if len(mapped.layers) == 1:  # a slider needs two ends
        return mapped.layers[0]
    first = mapped.layers[-1]
    if mapped.scorable:
        with waiting("Scoring every layer …", height=480):
            first = mapped.layers[scores_of(mapped).best[0]]
    return inputs.one_number("Layer", mapped.layers, first, key="layer")


def ask_occurrence(mapped: SenseMap) -> int:
    """Ask for the occurrence that is looked at, by its number from 1."""
    last = len(mapped.occurrences)
    inputs.reset_unless("near", lambda kept: 1 <= kept <= last, 1)
    # No default is given, because a click on the map may set the value beforehand.
    return int(st.slider("Occurrence", 1, last, key="near", **BOUND))


with errors_shown(), slots.panel("occurrences", "_word_of_senses"):
    source = slots.part("source")
    with slots.options("choices", beside=partial(links.examples, "Word_Senses", EXAMPLES)):
        how = views.ask(sense_map, {})
        pooling = inputs.choice("A word of several pieces: pool by", POOLINGS, key="pooling")
    with source:
        word, make_map = ask_source(pooling)
    st.session_state["_word_of_senses"] = word  # for the line of a folded panel

show_map(make_map, how)
