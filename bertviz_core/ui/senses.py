"""The vectors of many occurrences of a word: run, read from a file, or sampled from a corpus.

They are large and kept once, for all viewers; what was let go of is made again.
"""

import hashlib
import io
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import streamlit as st
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from bertviz_core.bert import Bert
from bertviz_core.corpus.reading.csv_rows import lines_of_table
from bertviz_core.corpus.stratified_sample import Sample, stratified_sample, value_groups
from bertviz_core.decoding import decoded_lines
from bertviz_core.encoder import Pooling
from bertviz_core.errors import UserInputError
from bertviz_core.senses import (
    MAX_OCCURRENCES,
    Occurrence,
    SenseVectors,
    WordOccurrences,
    find_occurrences,
    sense_vectors,
)
from bertviz_core.senses.groups import MIN_OCCURRENCES
from bertviz_core.senses.vector_files import VectorFile, read
from bertviz_core.shared import models, results, turn
from bertviz_core.shared.turns import time_limit
from bertviz_core.ui import jobs, server, state
from bertviz_core.ui.html import caption, note
from bertviz_core.ui.jobs import Job, waiting
from bertviz_core.views.word_senses.corpora import Corpus, folder_unsaid, notes_on_sample
from bertviz_core.views.word_senses.sense_map import SenseMap, first_of, notes_on_lines

MAX_TEXT_MB, MAX_VECTORS_MB = 5, 20  # MB; server.maxUploadSize is the larger one
# Seconds for a file; the slowest that fits takes about 3, and everybody else waits meanwhile.
MAX_SECONDS = 10


def _waited_for(key: Hashable, name: str, doing: str, unit: str, work: Callable[[Job], Any]) -> Any:
    """What a job makes, kept under `key`; the page waits for it, with a progress bar.

    The job begins again if it was given up, or if its result was let go of.
    """

    def text(job: Job) -> str:
        return f"{job.done:,} of {job.total:,} {unit}" if job.total else doing

    while (found := results.find(key)) is None:
        slot = st.empty()  # for the progress, above the grey shape
        with waiting(doing, height=480), slot:
            jobs.follow(jobs.begin(key, name, lambda job: results.keep(key, work(job))), text)
    return found


def of_lines(bert: Bert, matches: WordOccurrences, pooling: Pooling) -> SenseMap:
    """Occurrences in lines of text, run batch by batch, so that other viewers' work comes between.

    An error for the user where they are too few for a map.
    """
    occurrences = matches.occurrences
    if len(occurrences) < MIN_OCCURRENCES:
        total = matches.total
        times = "once" if total == 1 else f"{total} times" if total else "nowhere"
        raise UserInputError(
            f"“{matches.word}” occurs {times} in these lines; a map needs at least "
            f"{MIN_OCCURRENCES} occurrences. The word is found whole, in upper or lower case."
        )
    identity = (bert.checkpoint, bert.stamp, digest(occurrences), pooling)

    def work(job: Job) -> SenseVectors:
        with turn():
            encoder = models.encoder(bert.name)
        return sense_vectors(encoder, occurrences, pooling, progress=job.report, turn=turn)

    name = f"The run over {len(occurrences):,} occurrences"
    doing = "Running BERT …" if models.has_encoder(bert.name) else "Loading the model, once …"
    found = _waited_for(("occurrences", *identity), name, doing, "occurrences", work)
    return SenseMap(
        matches.word,
        {matches.word: matches.total},
        bert.name,
        pooling,
        tuple(range(bert.num_hidden_layers + 1)),
        found,
        as_computed=True,
        identity=identity,
        notes=tuple(notes_on_lines(bert, matches, found)),
    )


def digest(occurrences: Sequence[Occurrence]) -> str:
    """A name for these occurrences: the same sentences, marks and labels have the same one."""
    return hashlib.sha256(repr(occurrences).encode()).hexdigest()


def of_corpus(corpus: Corpus, word: str, column: str | None) -> SenseMap:
    """A sample of a word's occurrences in a corpus, spread over the values of a column."""
    key = ("sample", corpus.identity, word, column)

    def work(job: Job) -> Sample:
        with folder_unsaid(corpus.name, corpus.occurrences.folder):
            return stratified_sample(corpus.occurrences, word, column, progress=job.report)

    name, doing = f"The sample of {corpus.name}", "Drawing a sample of the corpus …"
    sample: Sample = _waited_for(key, name, doing, "layers", work)
    return SenseMap(
        **vars(sample.opened),
        identity=key,
        colours=sample.names,
        notes=tuple(notes_on_sample(corpus, sample, column)),
        source={"corpus": corpus.name, "vectors of": sample.opened.model},
    )


def of_file(upload: UploadedFile, word: str, column: str) -> SenseMap:
    """Occurrences whose vectors a visitor brings, coloured by a column; "" for its first word."""
    with waiting("Reading the file …", height=480):
        opened = opened_file(upload, word)
    colours = None
    if column in opened.columns:
        import pyarrow as pa

        groups = value_groups(pa.array(list(opened.columns[column])))
        colours = tuple(groups.names[number] for number in groups.of)
    count = len(opened.found.occurrences)
    return SenseMap(
        **vars(opened),
        identity=("file", *_owned(upload), word),
        colours=colours,
        notes=() if count == opened.total else (first_of(opened.word, count, opened.total),),
        source={"vectors of": opened.model},
    )


def opened_file(upload: UploadedFile, word: str) -> VectorFile:
    """Open an uploaded file of vectors once, however often the page runs; see `vector_files.read`.

    "" opens its most frequent word.
    """
    opened: VectorFile = _once_in_turn(
        ("opened", *_owned(upload), word),
        lambda check: read(upload, word or None, MAX_OCCURRENCES, check),
    )
    return opened


def searched(upload: UploadedFile, word: str) -> WordOccurrences:
    """Look for a word in an uploaded text, once."""
    if upload.size > MAX_TEXT_MB * 1_050_000:  # the field's own limit is held by the browser alone
        raise UserInputError(
            f"The file has {upload.size / 1e6:.1f} MB; up to {MAX_TEXT_MB} MB can be read here. "
            "The command bert-explorer occurrences takes a file of any size."
        )

    def search(check: Callable[[], None]) -> tuple[WordOccurrences, str]:
        lines, guess = decoded_lines(upload.getvalue())
        is_table = upload.name.lower().endswith((".csv", ".tsv"))
        table = io.BytesIO("\n".join(lines).encode())

        def checked() -> Iterator[str]:
            for line in lines_of_table(table, upload.name) if is_table else lines:
                check()
                yield line

        return find_occurrences(checked(), word), guess

    with waiting("Reading the file …", height=120):
        found, guess = _once_in_turn(("searched", *_owned(upload), word), search)
    if guess:
        note("{guess}", guess=guess)
    return found


def _owned(upload: UploadedFile) -> tuple[str, str]:
    """Names a file for its session alone: another one that knows its id sees nothing of it."""
    context = get_script_run_ctx()
    return (context.session_id if context else "", upload.file_id)


def _once_in_turn(key: Hashable, work: Callable[[Callable[[], None]], Any]) -> Any:
    """The result of reading a file, one file at a time, whoever brings it.

    What one file becomes in memory is bounded, but not how many there are. `work` calls what it is
    given between its steps, which ends it after `MAX_SECONDS`.
    """
    if (found := results.find(key)) is None:
        with turn(key):
            if (found := results.find(key)) is None:  # else another viewer's run has read it
                results.keep(key, found := work(time_limit(MAX_SECONDS, "Reading the file")))
    return found


def kept_upload(
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
    kept = state.now().uploads.get(key)
    context = get_script_run_ctx()
    if upload is not None:
        server.looked_at(upload.file_id)
    if upload is not None or not kept or context is None:
        return upload
    server.looked_at(kept)
    # The file is not kept here: what the server holds of a session is bounded, see ui/server.
    for file in context.uploaded_file_mgr.get_files(context.session_id, [kept]):
        caption("In use: {file}. Choose another file to replace it.", file=file.name)
        return UploadedFile(file, FileURLs())
    note("Your file is no longer on the server. Choose it again.")
    return None
