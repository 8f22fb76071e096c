"""Many occurrences of one word on a map, layer by layer, and whether its senses come apart."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator as Slot

from bertviz_core.encoder import POOLINGS, Pooling
from bertviz_core.senses import find_occurrences, prepared_set, prepared_words
from bertviz_core.senses.occurrences import shared_word
from bertviz_core.ui import draw, fields, html, page, senses, state
from bertviz_core.ui.draw import Drawing, selected_on
from bertviz_core.ui.jobs import waiting
from bertviz_core.ui.state import BOUND
from bertviz_core.views.view import Beside
from bertviz_core.views.word_senses.corpora import offered_corpora, opened
from bertviz_core.views.word_senses.occurrence_map import selected_sentences, sense_map
from bertviz_core.views.word_senses.sense_map import MAPS, SenseMap, scores_of

bert = page.begin(
    "Word Senses",
    "Do the senses of a word come apart?",
    "Each point is an occurrence of the word; Play moves them through the layers.",
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
    left, right = st.container(key="part-row-occurrences").columns([3, 2])
    sources = {PREPARED: ask_prepared, OWN: ask_lines, TEXT: ask_text, VECTORS: ask_vectors}
    if offered_corpora():
        sources[CORPUS] = ask_corpus
    with left:
        source = fields.listed("Occurrences from", list(sources), key="from")
    return sources[source](right, st.container(key="part-lines"), pooling)


def ask_prepared(right: Slot, below: Slot, pooling: Pooling) -> tuple[str, MakeMap]:
    """Ask for a word of the shipped sets."""
    with right:
        words = [FIRST, *(word for word in prepared_words() if word != FIRST)]
        word = fields.listed("Word", words, key="set")
    return word, partial(senses.of_lines, bert, prepared_set(word), pooling)


def ask_lines(right: Slot, below: Slot, pooling: Pooling) -> tuple[str, MakeMap]:
    """Ask for lines, and for a word in them; at first the one that all of them share."""
    with below:
        label = "Lines with the word, at least three"
        typed = fields.lines(label, OWN_LINES, key="lines", help=LABELS)
    with right:
        first = shared_word(typed) or FIRST_OWN
        state.propose("senseword", first)
        word = fields.sentence("Word to look for", first, key="senseword")
    return word, partial(senses.of_lines, bert, find_occurrences(typed, word), pooling)


def ask_text(right: Slot, below: Slot, pooling: Pooling) -> tuple[str, MakeMap]:
    """Ask for a text file, and for a word in it."""
    with right:
        word = fields.sentence("Word to look for", FIRST_OWN, key="senseword")
    with below:
        upload = senses.kept_upload(
            f"Text, one sentence per line, up to {senses.MAX_TEXT_MB} MB",
            key="text",
            kinds=["txt", "csv", "tsv", "text", "md", "text/plain"],
            megabytes=senses.MAX_TEXT_MB,
            help=LABELS,
        )
        if upload is None:
            return word, partial(wait_for, LINES)
        return word, partial(senses.of_lines, bert, senses.searched(upload, word), pooling)


def ask_corpus(right: Slot, below: Slot, pooling: Pooling) -> tuple[str, MakeMap]:
    """Ask for a corpus and a word of it, and what the sample is spread over."""
    with right:
        corpus = opened(fields.listed("Corpus", list(offered_corpora()), key="corpus"))
    with below, st.grid(2, key="cells-corpus"):
        word = fields.listed("Word", list(corpus.occurrences.words), key="corpusword")
        column = fields.listed(
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
    with below, st.grid(2, key="cells-vectors"):
        if len(first.counts) > 1:
            words = sorted(first.counts, key=lambda word: (-first.counts[word], word))
            word = fields.listed("Word", words, key="fileword")
        if first.columns:
            column = fields.listed("Colour by", [SENSE_OR_GROUP, *first.columns], key="filecolumn")
    # "" opens the file as it was opened above.
    given = "" if word == first.word else word
    return given, partial(senses.of_file, upload, given, column)


def wait_for(taken: str) -> SenseMap:
    """Wait for a file; of one that it refuses, the field shows the name in red and no word."""
    html.note(f"Upload a file to see its map here: {taken}. A red one was not taken.")
    st.stop()


def show_map(make_map: MakeMap, how: dict[str, Any]) -> None:
    """The map of the occurrences, on which a tap chooses one, and the sections below."""
    mapped = make_map()
    top = st.container()
    left, right = st.container(key="part-row-map").columns([3, 2], gap="medium")
    with left, st.container(key="part-slim-layer"):
        layer = ask_layer(mapped)
    with right, st.container(key="part-slim-near"):
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
    draw.sections(bert, given | how, {"mapped": make_map})


def ask_layer(mapped: SenseMap) -> int:
    """Ask for the layer; at first the one that the finding names, or the last one."""
    if len(mapped.layers) == 1:  # a slider needs two ends
        return mapped.layers[0]
    first = mapped.layers[-1]
    if mapped.scorable:
        with waiting("Scoring every layer …", height=480):
            first = mapped.layers[scores_of(mapped).best[0]]
    return fields.one_number("Layer", mapped.layers, first, key="layer")


def ask_occurrence(mapped: SenseMap) -> int:
    """Ask for the occurrence that is looked at, by its number from 1."""
    last = len(mapped.occurrences)
    fields.reset_unless("near", lambda kept: 1 <= kept <= last, 1)
    # No default is given, because a click on the map may set the value beforehand.
    return int(st.slider("Occurrence", 1, last, key="near", **BOUND))


with draw.errors_shown(), page.panel("occurrences") as folded:
    source = st.container(key="part-source")
    with page.options("choices", beside=partial(html.examples, EXAMPLES)):
        how = draw.ask(sense_map, {})
        pooling = fields.choice("A word of several pieces: pool by", POOLINGS, key="pooling")
    with source:
        word, make_map = ask_source(pooling)
    folded.append(word)

draw.show_fragment(show_map, make_map, how)
