"""Where the occurrences of the page Word Senses come from: prepared, typed, uploaded, a corpus."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from bertviz_core import senses
from bertviz_core.errors import UserInputError
from bertviz_core.senses import (
    Occurrence,
    WordOccurrences,
    find_occurrences,
    prepared_set,
    prepared_words,
)
from bertviz_core.senses.groups import MIN_OCCURRENCES
from bertviz_core.senses.occurrences import shared_word
from bertviz_core.shared import results, turn
from bertviz_core.turns import time_limit
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import note, quiet
from bertviz_core.ui.waiting import waiting
from bertviz_core.vector_files import Opened, read
from bertviz_core.views.word_senses.corpora import Corpus, offered_corpora, opened

PREPARED, OWN, TEXT, VECTORS = "prepared set", "my own lines", "text file", "file of vectors"
CORPUS = "a corpus"  # where the operator offers one
SOURCES = (PREPARED, OWN, TEXT, VECTORS)
FIRST, FIRST_OWN = "bank", "light"
MOST_TEXT, MOST_VECTORS = 5, 20  # MB; server.maxUploadSize is the larger one
# Seconds for a file; the slowest that fits takes about 3, and everybody else waits meanwhile.
LONGEST = 10
SENSE_OR_GROUP, NOTHING = "sense or group", "nothing"
OWN_LINES = """\
The crew had to light the ship by hand.
Turn off the light when you leave.
A light rain fell all night.
She packed light for the journey.
This bag is light enough for a child.
The light in the kitchen is broken.
Morning light came through the window.
He prefers a light meal in the evening."""
_LABELS = (
    "For labels, let the first line be “sense”, a tab, “sentence”, and begin each other line with "
    "its label and a tab. In a line with the word in [brackets], only the marked ones are meant."
)
_OF_VECTORS = (
    "Made with `np.savez(file, vectors=..., sentence=..., start=..., end=...)`: vectors of the "
    "shape (occurrences, layers, numbers), and where the word is in its sentence, counted from 0. "
    "`layers`, `word` and `sense` may be there; further arrays can colour the points. "
    "`bert-explorer export` makes such a file of a corpus."
)


@dataclass(frozen=True, eq=False)
class Request:
    """The occurrences that are asked for."""

    source: str  # one of `SOURCES`, or `CORPUS`
    word: str  # as it was typed or chosen; "" for the most frequent one of a file of vectors
    matches: WordOccurrences | None = None  # in a text; None for vectors, or before there is a file
    upload: UploadedFile | None = None  # of vectors
    corpus: Corpus | None = None  # to draw a sample from
    # What colours the points instead of sense or group, and what the sample is spread over.
    column: str | None = None


def asked_for() -> Request:
    """Ask where the occurrences come from, and which word."""
    left, right = slots.part("row-occurrences").columns([3, 2])
    offered = list(offered_corpora())
    with left:
        sources = (*SOURCES, CORPUS) if offered else SOURCES
        source = inputs.listed("Occurrences from", sources, key="from")
    with right:
        if source == CORPUS:
            corpus = opened(inputs.listed("Corpus", offered, key="corpus"))
        elif source == VECTORS:
            upload = kept_upload(
                f"NPZ file with vectors, up to {MOST_VECTORS} MB",
                key="vectors",
                kinds=["npz", "application/zip"],
                most=MOST_VECTORS,
                help=_OF_VECTORS,
            )
        elif source == PREPARED:
            words = [FIRST, *(word for word in prepared_words() if word != FIRST)]
            word = inputs.listed("Word", words, key="set")
        else:
            word = inputs.sentence("Word to look for", _proposed(source), key="senseword")
    if source == PREPARED:
        return Request(source, word, prepared_set(word))
    with slots.part("lines"):
        if source == CORPUS:
            return _of_corpus(corpus)
        if source == VECTORS:
            return Request(source, "") if upload is None else _of_vectors(upload)
        if source == OWN:
            label = "Lines with the word, at least three"
            typed = inputs.lines(label, OWN_LINES, key="lines", help=_LABELS)
            return Request(source, word, find_occurrences(typed, word))
        text = kept_upload(
            f"Text, one sentence per line, up to {MOST_TEXT} MB",
            key="text",
            kinds=["txt", "tsv", "text", "md", "text/plain"],
            most=MOST_TEXT,
            help=_LABELS,
        )
        return Request(source, word, None if text is None else _searched(text, word))


def _proposed(source: str) -> str:
    """The word to look for at first: of own lines the one that all of them share."""
    typed = st.session_state.get("lines", st.query_params.get("lines", OWN_LINES))
    if source != OWN or not isinstance(typed, str):
        return FIRST_OWN
    word = shared_word(typed.splitlines()) or FIRST_OWN
    inputs.propose("senseword", word)
    return word


def _of_corpus(corpus: Corpus) -> Request:
    """Ask which of its words, and what the sample is spread over."""
    with slots.cells("corpus", 2):
        word = inputs.listed("Word", list(corpus.occurrences.words), key="corpusword")
        column = inputs.listed(
            "Spread the sample over, and colour by",
            [NOTHING, *corpus.columns],
            key="spread",
            help="With a column, the sample is spread evenly over its values. Without one it is "
            "drawn at random, coloured by sense or group.",
        )
    return Request(CORPUS, word, corpus=corpus, column=None if column == NOTHING else column)


def _of_vectors(upload: UploadedFile) -> Request:
    """Ask which of a file's words, and what colours them, where there is something to choose."""
    with waiting("Reading the file …", height=120):
        first = opened_file(upload, "")
    words = sorted(first.counts, key=lambda word: (-first.counts[word], word))
    word, colour = first.word, SENSE_OR_GROUP
    with slots.cells("vectors", 2):
        if len(words) > 1:
            word = inputs.listed("Word", words, key="fileword")
        if first.columns:
            colour = inputs.listed("Colour by", [SENSE_OR_GROUP, *first.columns], key="filecolumn")
    return Request(
        VECTORS,
        "" if word == first.word else word,
        upload=upload,
        column=None if colour == SENSE_OR_GROUP else colour,
    )


def opened_file(upload: UploadedFile, word: str) -> Opened:
    """Open an uploaded file once, however often the page runs; see `vector_files.read`.

    One file at a time, whoever brings it: what one becomes in memory is bounded, not their number.
    """
    found: Opened = _once_in_turn(
        ("opened", upload.file_id, word),
        lambda check: read(upload, word or None, senses.MAX_OCCURRENCES, check),
    )
    return found


def _searched(upload: UploadedFile, word: str) -> WordOccurrences:
    """Look for a word in an uploaded text, once; one file at a time."""
    if upload.size > MOST_TEXT * 1_000_000 * 1.05:
        raise UserInputError(
            f"The file has {upload.size / 1e6:.1f} MB; up to {MOST_TEXT} MB can be read here. The "
            "command bert-explorer occurrences takes a file of any size."
        )

    def search(check: Callable[[], None]) -> WordOccurrences:
        def lines() -> Iterator[str]:
            for line in senses.lines_of(upload.getvalue()):
                check()
                yield line

        return find_occurrences(lines(), word)

    with waiting("Reading the file …", height=120):
        found: WordOccurrences = _once_in_turn(("searched", upload.file_id, word), search)
    return found


def _once_in_turn(key: Hashable, work: Callable[[Callable[[], None]], Any]) -> Any:
    """All viewers share what is made of an upload; its id names its content."""
    if (found := results.find(key)) is None:
        with turn(key):
            if (found := results.find(key)) is None:  # else somebody made it in this turn's place
                results.keep(key, found := work(time_limit(LONGEST, "Reading the file")))
    return found


def kept_upload(
    label: str, *, key: str, kinds: list[str], most: int, help: str
) -> UploadedFile | None:
    """Ask for a file, which is there again when the visitor comes back from another page.

    Streamlit 1.67 empties the field then; the file itself is on the server until the session ends.
    `kinds` are endings that the browser offers, and a media type: with one, Streamlit does not
    raise an error for another ending; what a file is, its bytes tell.
    """
    how: dict[str, Any] = {"type": kinds, "max_upload_size": most, "key": key, "help": help}
    upload: UploadedFile | None = st.file_uploader(label, **how, on_change=_keep, args=(key,))
    if upload is not None or (kept := st.session_state.get(f"_kept_{key}")) is None:
        return upload
    if (context := get_script_run_ctx()) is None:
        return None
    # The file is not kept here: what the server holds of a session is bounded, see bounds/uploads.
    files = context.uploaded_file_mgr.get_files(context.session_id, [kept])
    for file in files:
        quiet(f"In use: {file.name}. Choose another file to replace it.")
        return UploadedFile(file, FileURLs())
    note("Your file is no longer on the server. Choose it again.")
    return None


def _keep(key: str) -> None:
    upload = st.session_state[key]
    st.session_state[f"_kept_{key}"] = None if upload is None else upload.file_id


def enough(matches: WordOccurrences) -> tuple[Occurrence, ...]:
    """The occurrences to draw; an error where they are too few for a map."""
    if len(matches.occurrences) < MIN_OCCURRENCES:
        total = matches.total
        times = "once" if total == 1 else f"{total} times" if total else "nowhere"
        raise UserInputError(
            f"“{matches.word}” occurs {times} in these lines; a map needs at least "
            f"{MIN_OCCURRENCES} occurrences. The word is found whole, in upper or lower case."
        )
    return matches.occurrences
