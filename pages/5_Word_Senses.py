"""Many occurrences of one word on a map, layer by layer, and whether its senses come apart."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from bertviz_core.encoder import POOLINGS, Pooling
from bertviz_core.senses import find_occurrences, prepared_set, prepared_words
from bertviz_core.senses.occurrences import shared_word
from bertviz_core.ui import frame, html, inputs, links, senses, slots, views
from bertviz_core.ui.address import BOUND
from bertviz_core.ui.draw import Drawing, selected_on
from bertviz_core.ui.errors import errors_shown, fragment
from bertviz_core.ui.jobs import waiting
from bertviz_core.views.view import Beside
from bertviz_core.views.word_senses.chosen import selected_sentences
from bertviz_core.views.word_senses.corpora import offered_corpora, opened
from bertviz_core.views.word_senses.occurrence_map import sense_map
from bertviz_core.views.word_senses.sense_map import MAPS, PAGE, SenseMap, left_out, scores_of

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
    corpora = list(offered_corpora())
    sources = [PREPARED, OWN, TEXT, VECTORS, *([CORPUS] if corpora else [])]
    with left:
        source = inputs.listed("Occurrences from", sources, key="from")
    with right:
        if source == CORPUS:
            name = inputs.listed("Corpus", corpora, key="corpus")
        elif source == VECTORS:
            upload = senses.kept_upload(
                f"NPZ file with vectors, up to {senses.MAX_VECTORS_MB} MB",
                key="vectors",
                kinds=["npz", "application/zip"],
                megabytes=senses.MAX_VECTORS_MB,
                help=OF_VECTORS,
            )
        elif source == PREPARED:
            words = [FIRST, *(word for word in prepared_words() if word != FIRST)]
            word = inputs.listed("Word", words, key="set")
        else:
            first = propose_word() if source == OWN else FIRST_OWN
            word = inputs.sentence("Word to look for", first, key="senseword")
    if source == PREPARED:
        return word, partial(senses.of_lines, bert, word, prepared_set(word), pooling)
    with slots.part("lines"):
        if source == CORPUS:
            return ask_of_corpus(name)
        if source == VECTORS:
            return ask_of_vectors(upload) if upload else ("", partial(wait_for, NPZ))
        if source == OWN:
            label = "Lines with the word, at least three"
            typed = inputs.lines(label, OWN_LINES, key="lines", help=LABELS)
            matches = find_occurrences(typed, word)
            return word, partial(senses.of_lines, bert, word, matches, pooling)
        upload = senses.kept_upload(
            f"Text, one sentence per line, up to {senses.MAX_TEXT_MB} MB",
            key="text",
            kinds=["txt", "tsv", "text", "md", "text/plain"],
            megabytes=senses.MAX_TEXT_MB,
            help=LABELS,
        )
        if upload is None:
            return word, partial(wait_for, LINES)
        matches = senses.searched(upload, word)
        return word, partial(senses.of_lines, bert, word, matches, pooling)


def propose_word() -> str:
    """The word to look for at first in own lines: the one that all of them share."""
    typed = st.session_state.get("lines", st.query_params.get("lines", OWN_LINES))
    if not isinstance(typed, str):
        return FIRST_OWN
    word = shared_word(typed.splitlines()) or FIRST_OWN
    inputs.propose("senseword", word)
    return word


def ask_of_corpus(name: str) -> tuple[str, MakeMap]:
    """Ask which word of a corpus, and what the sample is spread over."""
    corpus = opened(name)
    with slots.cells("corpus", 2):
        word = inputs.listed("Word", list(corpus.occurrences.words), key="corpusword")
        column = inputs.listed(
            "Spread the sample over, and colour by",
            [NOTHING, *corpus.columns],
            key="spread",
            help="With a column, the sample is spread evenly over its values. Without one it is "
            "drawn at random, coloured by sense or group.",
        )
    spread = None if column == NOTHING else column
    return word, partial(senses.of_corpus, corpus, word, spread)


def ask_of_vectors(upload: Any) -> tuple[str, MakeMap]:
    """Ask which of a file's words, and what colours them, where there is something to choose."""
    with waiting("Reading the file …", height=120):
        first = senses.opened_file(upload, "")
    words = sorted(first.counts, key=lambda word: (-first.counts[word], word))
    word, column = first.word, SENSE_OR_GROUP
    with slots.cells("vectors", 2):
        if len(words) > 1:
            word = inputs.listed("Word", words, key="fileword")
        if first.columns:
            column = inputs.listed("Colour by", [SENSE_OR_GROUP, *first.columns], key="filecolumn")
    # "" opens the file as it was opened above.
    given = "" if word == first.word else word
    colour = None if column == SENSE_OR_GROUP else column
    return given, partial(senses.of_file, upload, given, colour)


def wait_for(taken: str) -> SenseMap:
    """Wait for a file; of one that it refuses, the field shows the name in red and no word."""
    html.note(f"Upload a file to see its map here: {taken}. A red one was not taken.")
    st.stop()


@fragment
def show_map(make_map: MakeMap, how: dict[str, Any]) -> None:
    """The map of the occurrences, on which a tap chooses one, and the sections below."""
    mapped = make_map()
    for sentence in left_out(bert, mapped):
        html.sentence(sentence)
    top = st.container()
    left, right = slots.part("row-map").columns([3, 2], gap="medium")
    with left, slots.part("slim-layer"):
        layer = ask_layer(mapped)
    with right, slots.part("slim-near"):
        near = ask_occurrence(mapped)
    with left, waiting("Placing and grouping the occurrences …", height=480):
        view = sense_map.make(bert, mapped, layer, near, **how)
    finding, both, *rest = view.parts
    assert isinstance(both, Beside)
    drawing = Drawing(view)
    for slot, parts in ((top, [finding]), *zip((left, right), both.columns, strict=True)):
        with slot:
            drawing.draw(parts)
    selected = selected_on(MAPS[how["kind"]])
    drawing.draw([*selected_sentences(mapped, layer, how["groups"], selected), *rest])
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
