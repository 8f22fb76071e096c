"""Where the occurrences on Word Senses come from: each source is asked for, and gives a map.

Vectors are large and kept once, for all viewers; what the cache let go of is made again. A
fragment's arguments are kept for each viewer: so it is given what finds the vectors in the cache.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator as Slot
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from bertviz_core.bert import Bert
from bertviz_core.contextual.word_vectors import Pooling
from bertviz_core.corpus.reading.csv_rows import Row, csv_rows, lines_of_table, table_of
from bertviz_core.corpus.stratified_sample import Sample, stratified_sample, value_groups
from bertviz_core.decoding import decoded_lines
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.senses import (
    MAX_OCCURRENCES,
    SenseVectors,
    WordOccurrences,
    find_occurrences,
    prepared_set,
    prepared_words,
    sense_vectors,
)
from bertviz_core.senses.groups import MIN_OCCURRENCES
from bertviz_core.senses.occurrences import shared_word
from bertviz_core.senses.vector_files import VectorFile, read
from bertviz_core.shared.models import models
from bertviz_core.shared.results import results
from bertviz_core.shared.turns import encoder_queue, slow_queue, time_limit
from bertviz_core.ui import fields, jobs, server, state
from bertviz_core.ui.html import caption, note
from bertviz_core.ui.jobs import Job, waiting
from bertviz_core.views.word_senses.corpora import (
    Corpus,
    folder_hidden,
    notes_on_sample,
    offered_corpora,
    open_corpus,
)
from bertviz_core.views.word_senses.sense_map import SenseMap, note_on_first, notes_on_lines

MAX_TEXT_MB, MAX_VECTORS_MB = 5, 20  # MB; server.maxUploadSize is the larger one
# Seconds for a file; the slowest that fits takes about 3, and everybody else waits meanwhile.
MAX_SECONDS = 10
OWN_LINES = "my own lines"
FIRST_PREPARED, FIRST_OWN = "bank", "light"
SENSE_OR_GROUP, NOTHING = "sense or group", "nothing"
CHOOSE, LINES = "choose a column", "all of each line"
# What columns with text, and with labels, are often called; the likeliest first.
TEXTS = ("sentence", "text", "context", "body", "tweet", "sentence1")
LABELS = ("sense", "label")
EXAMPLE_LINES = """\
The crew had to light the ship by hand.
Turn off the light when you leave.
A light rain fell all night.
She packed light for the journey.
This bag is light enough for a child.
The light in the kitchen is broken.
Morning light came through the window.
He prefers a light meal in the evening."""
ABOUT_LINES = (
    "For labels, let the first line be “sense”, a tab, “sentence”, and begin each other line with "
    "its label and a tab. In a line with the word in [brackets], only the marked ones are meant."
)
ABOUT_VECTORS = (
    "Made with `np.savez(file, vectors=..., labels=...)`: vectors of the shape (n, numbers) or (n, "
    "layers, numbers); labels that repeat colour the points. In place of labels: `sentence`, and "
    "`start` and `end` of the word in it, counted from 0. `layers`, `word` and `sense` may be "
    "there; further arrays can colour the points."
)
# HTML
TEXT_FILES = (
    "text, up to 5 MB (<code>bert-explorer occurrences</code> reads any size and more kinds)"
)
VECTOR_FILES = "NPZ, up to 20 MB (<code>bert-explorer export</code> takes a sample of a corpus)"
Read = TypeVar("Read")
Source = tuple[str, Callable[[], SenseMap]]  # the word, and what makes its map


def ask_source(bert: Bert, pooling: Pooling) -> Source:
    """Ask where the occurrences come from, and which word."""
    left, right = st.container(key="part-row-occurrences").columns([3, 2])
    below = st.container(key="part-lines")
    sources: dict[str, Callable[[], Source]] = {
        "prepared set": lambda: _ask_prepared(bert, pooling, right),
        OWN_LINES: lambda: _ask_lines(bert, pooling, right, below),
        "text file": lambda: _ask_text(bert, pooling, right, below),
        "file of vectors": lambda: _ask_vectors(right, below),
    }
    if offered_corpora():
        sources["a corpus"] = lambda: _ask_corpus(right, below)
    with left:
        source = fields.listed("Occurrences from", list(sources), key="from")
    return sources[source]()


def _ask_prepared(bert: Bert, pooling: Pooling, right: Slot) -> Source:
    words = dict.fromkeys([FIRST_PREPARED, *prepared_words()])
    with right:
        word = fields.listed("Word", list(words), key="set")
    return word, partial(_of_lines, bert, prepared_set(word), pooling)


def _ask_lines(bert: Bert, pooling: Pooling, right: Slot, below: Slot) -> Source:
    """Ask for lines, and for a word in them; at first the one that all of them share."""
    with below:
        label = "Lines with the word, at least three"
        lines = fields.lines(label, EXAMPLE_LINES, key="lines", help=ABOUT_LINES)
    with right:
        first = shared_word(lines) or FIRST_OWN
        state.propose("senseword", first)
        word = fields.sentence("Word to look for", first, key="senseword")
    return word, partial(_of_lines, bert, find_occurrences(lines, word), pooling)


def _ask_text(bert: Bert, pooling: Pooling, right: Slot, below: Slot) -> Source:
    with right:
        word = fields.sentence("Word to look for", FIRST_OWN, key="senseword")
    with below:
        upload = ask_file(
            f"Text, one sentence per line, or a table, up to {MAX_TEXT_MB} MB",
            key="text",
            kinds=["txt", "csv", "tsv", "text", "md", "text/plain"],
            megabytes=MAX_TEXT_MB,
            help=ABOUT_LINES,
        )
        if upload is None:
            return word, partial(_wait_for, TEXT_FILES)
        matches = _search(upload, word, *_ask_columns(upload))
        return word, partial(_of_lines, bert, matches, pooling)


def _ask_columns(upload: UploadedFile) -> tuple[int | None, int | None]:
    """Ask which columns of a table have text and labels; none, if its lines are the text."""
    if upload.size > MAX_TEXT_MB * 1_050_000:  # the field's own limit is held by the browser alone
        raise UserInputError(
            f"The file has {upload.size / 1e6:.1f} MB; up to {MAX_TEXT_MB} MB can be read here. "
            "The command bert-explorer occurrences takes a file of any size."
        )

    def look(check: Callable[[], None]) -> Sequence[str]:
        table = table_of(decoded_lines(upload.getvalue())[0], upload.name)
        rows: Iterator[Row] = csv_rows(*table) if table else iter([()])
        return next(rows) or ()

    with waiting("Reading the file …", height=120):
        header = once_in_turn(("columns", *own_name(upload)), look)
    if not header:
        return None, None
    names = [f"{number}: {shortened(name, 60)}" for number, name in enumerate(header, start=1)]
    known = {name.casefold(): shown for name, shown in zip(header, names, strict=True)}
    texts, labels = (
        dict.fromkeys([*(known[name] for name in usual if name in known), other, *names])
        for usual, other in ((TEXTS, CHOOSE), (LABELS, NOTHING))
    )
    with st.grid(2, key="cells-columns"):
        text = fields.listed("Text", [*texts, LINES], key="filetext")
        label = fields.listed("Labels", [*labels], key="filelabel")
    if text == CHOOSE:
        note(
            "The file is a table. Choose the column with the sentences. If each line is a word, "
            "write a sentence on each line first."
        )
        st.stop()
    places = {name: place for place, name in enumerate(names)}
    return places.get(text), places.get(label)


def _ask_vectors(right: Slot, below: Slot) -> Source:
    """Ask for a file of vectors, and which of its words and columns, if it has several."""
    with right:
        upload = ask_file(
            f"NPZ file with vectors, up to {MAX_VECTORS_MB} MB",
            key="vectors",
            kinds=["npz", "application/zip"],
            megabytes=MAX_VECTORS_MB,
            help=ABOUT_VECTORS,
        )
    if upload is None:
        return "", partial(_wait_for, VECTOR_FILES)
    with below, waiting("Reading the file …", height=120):
        first = open_file(upload, "")
    word = first.word
    column = SENSE_OR_GROUP
    with below, st.grid(2, key="cells-vectors"):
        if len(first.counts) > 1:
            words = sorted(first.counts, key=lambda word: (-first.counts[word], word))
            word = fields.listed("Word", words, key="fileword")
        if first.columns:
            column = fields.listed("Colour by", [SENSE_OR_GROUP, *first.columns], key="filecolumn")
    # "" finds the file as it was opened above.
    return word, partial(_of_file, upload, "" if word == first.word else word, column)


def _ask_corpus(right: Slot, below: Slot) -> Source:
    """Ask for a corpus and a word of it, and what the sample is spread over."""
    with right:
        corpus = open_corpus(fields.listed("Corpus", list(offered_corpora()), key="corpus"))
    with below, st.grid(2, key="cells-corpus"):
        word = fields.listed("Word", list(corpus.occurrences.words), key="corpusword")
        column = fields.listed(
            "Spread the sample over, and colour by",
            [NOTHING, *corpus.columns],
            key="spread",
            help="With a column, the sample is spread evenly over its values. Without one it is "
            "drawn at random, coloured by sense or group.",
        )
    return word, partial(_of_corpus, corpus, word, None if column == NOTHING else column)


def _wait_for(taken: str) -> SenseMap:
    """Wait for a file; of one that it refuses, the field shows the name in red and no word."""
    note(f"Upload a file to see its map here: {taken}. A red one was not taken.")
    st.stop()


def _of_lines(bert: Bert, matches: WordOccurrences, pooling: Pooling) -> SenseMap:
    """Occurrences in lines of text, run batch by batch, so that other viewers' work comes between.

    An error for the user where they are too few for a map.
    """
    occurrences = matches.occurrences
    if len(occurrences) < MIN_OCCURRENCES:
        times = {0: "nowhere", 1: "once"}.get(matches.total, f"{matches.total} times")
        raise UserInputError(
            f"“{matches.word}” occurs {times} in these lines; a map needs at least "
            f"{MIN_OCCURRENCES} occurrences. The word is found whole, in upper or lower case."
        )
    # The same sentences, marks and labels are known.
    digest = hashlib.sha256(repr(occurrences).encode()).hexdigest()
    identity = (bert.checkpoint, bert.stamp, digest, pooling)

    def work(job: Job) -> SenseVectors:
        with encoder_queue.turn():
            encoder = models.encoder(bert.name)
        return sense_vectors(
            encoder, occurrences, pooling, progress=job.report, turn=encoder_queue.turn
        )

    name = f"The run over {len(occurrences):,} occurrences"
    doing = "Running BERT …" if models.has_encoder(bert.name) else "Loading the model, once …"
    vectors = result_of_job(("occurrences", *identity), name, doing, "occurrences", work)
    return SenseMap(
        matches.word,
        {matches.word: matches.total},
        bert.name,
        pooling,
        tuple(range(bert.num_hidden_layers + 1)),
        vectors,
        as_computed=True,
        identity=identity,
        notes=tuple(notes_on_lines(bert, matches, vectors)),
    )


def _of_corpus(corpus: Corpus, word: str, column: str | None) -> SenseMap:
    """A sample of a word's occurrences in a corpus, spread over the values of a column."""
    key = ("sample", corpus.identity, word, column)

    def work(job: Job) -> Sample:
        with folder_hidden(corpus.name, corpus.occurrences.folder):
            return stratified_sample(corpus.occurrences, word, column, progress=job.report)

    name = f"The sample of {corpus.name}"
    sample = result_of_job(key, name, "Drawing a sample of the corpus …", "layers", work)
    return SenseMap(
        **vars(sample.opened),
        identity=key,
        colours=sample.names,
        notes=tuple(notes_on_sample(corpus, sample, column)),
        source={"corpus": corpus.name, "vectors of": sample.opened.model},
    )


def _of_file(upload: UploadedFile, word: str, column: str) -> SenseMap:
    """Occurrences whose vectors a visitor brings, coloured by a column; "" for its first word."""
    with waiting("Reading the file …", height=480):
        file = open_file(upload, word)
    colours = None
    if column in file.columns:
        import pyarrow as pa

        groups = value_groups(pa.array(list(file.columns[column])))
        colours = tuple(groups.names[number] for number in groups.of)
    count = len(file.found.occurrences)
    return SenseMap(
        **vars(file),
        identity=("file", *own_name(upload), word),
        colours=colours,
        notes=() if count == file.total else (note_on_first(file.word, count, file.total),),
        source={"vectors of": file.model},
    )


def open_file(upload: UploadedFile, word: str) -> VectorFile:
    """Open an uploaded file of vectors once, however often the page runs; see `vector_files.read`.

    "" opens its most frequent word.
    """
    return once_in_turn(
        ("opened", *own_name(upload), word),
        lambda check: read(upload, word or None, MAX_OCCURRENCES, check),
    )


def _search(
    upload: UploadedFile, word: str, text: int | None, label: int | None
) -> WordOccurrences:
    """Look for a word in an uploaded file, once: in its lines, or in a column of a table."""

    def search(check: Callable[[], None]) -> tuple[WordOccurrences, str]:
        lines, guess = decoded_lines(upload.getvalue())
        rows: Iterable[str | None] = lines
        left_out = 0
        if text is not None and (table := table_of(lines, upload.name)):
            rows = lines_of_table(*table, text, label)

        def checked() -> Iterator[str]:
            nonlocal left_out
            for line in rows:
                check()
                left_out += line is None
                yield line or ""

        matches = find_occurrences(checked(), word)
        irregular = f"Rows with more or fewer cells than the header were left out: {left_out:,}."
        return matches, " ".join(filter(None, [guess, irregular if left_out else ""]))

    with waiting("Reading the file …", height=120):
        matches, remark = once_in_turn(("searched", *own_name(upload), word, text, label), search)
    if remark:
        note("{guess}", guess=remark)
    return matches


def own_name(upload: UploadedFile) -> tuple[str, str]:
    """Names a file for its session alone: another one that knows its id sees nothing of it."""
    context = get_script_run_ctx()
    return (context.session_id if context else "", upload.file_id)


def once_in_turn(key: Hashable, work: Callable[[Callable[[], None]], Read]) -> Read:
    """The result of reading a file, one file at a time, whoever brings it.

    What one file becomes in memory is bounded, but not how many there are. `work` calls what it is
    given between its steps, which ends it after `MAX_SECONDS`.
    """
    return results.made(
        key, slow_queue.turn(key), lambda _: work(time_limit(MAX_SECONDS, "Reading the file"))
    )


def result_of_job(
    key: Hashable, name: str, doing: str, unit: str, work: Callable[[Job], Any]
) -> Any:
    """What a job makes, kept under `key`; the page waits for it, with a progress bar.

    The job begins again if it was given up, or if the cache let its result go.
    """

    def text(job: Job) -> str:
        return f"{job.done:,} of {job.total:,} {unit}" if job.total else doing

    while (result := results.find(key)) is None:
        slot = st.empty()  # for the progress, above the grey shape
        with waiting(doing, height=480), slot:
            jobs.follow(jobs.begin(key, name, lambda job: results.keep(key, work(job))), text)
    return result


def ask_file(
    label: str, *, key: str, kinds: list[str], megabytes: int, help: str
) -> UploadedFile | None:
    """Ask for a file, which is there again when the visitor comes back from another page.

    Streamlit 1.67 empties the field then; the file itself is on the server until the session ends.
    `kinds` are endings that the browser offers, and a media type: with one, Streamlit does not
    raise an error for another ending; what a file is, its bytes tell.
    """

    def keep() -> None:
        chosen = st.session_state[key]
        state.change(uploads={**state.now().uploads, key: chosen.file_id if chosen else ""})

    upload = st.file_uploader(
        label, type=kinds, key=key, help=help, on_change=keep, max_upload_size=megabytes
    )
    file_id = upload.file_id if upload else state.now().uploads.get(key)
    context = get_script_run_ctx()
    if not file_id or context is None:
        return upload
    server.looked_at(file_id)
    if upload is not None:
        return upload
    # The file is not kept here: what the server holds of a session is bounded, see ui/server.
    for file in context.uploaded_file_mgr.get_files(context.session_id, [file_id]):
        caption("In use: {file}. Choose another file to replace it.", file=file.name)
        return UploadedFile(file, FileURLs())
    note("Your file is no longer on the server. Choose it again.")
    return None
