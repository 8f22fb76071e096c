"""The vectors of the page Word Senses: run beside the page, read from files, drawn from a corpus.

They are large and in the cache once, for all viewers; what let go of them makes them again.
"""

import hashlib
import importlib
import threading
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from bertviz_core import senses
from bertviz_core.bert import Bert
from bertviz_core.contextual.attention import HeadsAgreement, heads_agreement, looked_at, sample_of
from bertviz_core.corpus.stratified_sample import Sample, stratified_sample, value_groups
from bertviz_core.encoder import Pooling
from bertviz_core.senses import Occurrence, SenseVectors, WordOccurrences
from bertviz_core.senses.occurrences import MAX_SENTENCE
from bertviz_core.shared import models, results, turn, turn_for
from bertviz_core.ui import jobs
from bertviz_core.ui.forms.word_senses_sources import TEXT, Request, enough, opened_file
from bertviz_core.ui.html import note
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.waiting import waiting
from bertviz_core.vector_files import Opened
from bertviz_core.vector_files.opened import UNKNOWN
from bertviz_core.views.word_senses.corpora import Corpus, Drawn, folder_unsaid
from bertviz_core.views.word_senses.heads import shipped_words
from bertviz_core.views.word_senses.mapped import Mapped

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

NEARLY_ALL = 0.9  # of the lines hold a tab: not by chance
LOADING = "Loading the model, once …"


def mapped_of(bert: Bert, request: Request, pooling: Pooling) -> Mapped:
    """Take the vectors of the occurrences that are asked for; see `say_what_is_missing`."""
    if request.corpus is not None:
        return _of_corpus(request.corpus, request.word, request.column)
    if request.upload is not None:
        return _of_file(request.upload, request)
    if request.matches is None:
        note("Upload a file to see its map here.")
        if request.source == TEXT and not models.has_encoder(bert.name):
            with waiting("Loading the model meanwhile, once …", height=80):
                _make_ready(bert.name)
        st.stop()
    occurrences = enough(request.matches)
    identity = (bert.checkpoint, bert.stamp, digest(occurrences), pooling)
    found = _vectors(bert, identity, occurrences, pooling)
    layers = tuple(range(bert.num_hidden_layers + 1))
    return Mapped(identity, request.word, bert.name, pooling, found, layers, len(occurrences))


def digest(occurrences: Sequence[Occurrence]) -> str:
    """A name for these occurrences: the same sentences, marks and labels have the same one."""
    return hashlib.sha256(repr(occurrences).encode()).hexdigest()


def _vectors(
    bert: Bert, identity: tuple[Hashable, ...], occurrences: Sequence[Occurrence], pooling: Pooling
) -> SenseVectors:
    """Run them batch by batch, so that others may run between."""
    key = ("occurrences", *identity)

    def work(job: Job) -> None:
        with turn_for(job):
            encoder = models.encoder(bert.name)
        others_between = partial(turn_for, job)
        found = senses.sense_vectors(
            encoder, occurrences, pooling, progress=job.report, turn=others_between
        )
        results.keep(key, found)

    def said(job: Job) -> str:
        return f"{job.done:,} of {job.total:,} occurrences" if job.total else LOADING

    run = f"{len(occurrences):,} occurrences"
    doing = f"Running BERT on {run} …" if models.has_encoder(bert.name) else LOADING
    found: SenseVectors = _made_beside(key, work, f"The run over {run}", doing, said)
    return found


def heads_of(bert: Bert) -> HeadsAgreement:
    """What heads look at against masking, in the shipped sentences, one after the other."""
    key = ("heads", bert.checkpoint, bert.stamp)

    def work(job: Job) -> None:
        marked, found = sample_of(bert, shipped_words()), []
        for done, word in enumerate(marked):
            job.report(done, len(marked))
            with turn_for(job):
                found.append(looked_at(models.encoder(bert.name), word))
        results.keep(key, heads_agreement([one for one in found if one is not None]))

    def said(job: Job) -> str:
        return f"{job.done} of {job.total} sentences, each again without each of its words"

    name, doing = f"The heads of {bert.name}", "Running all shipped sentences …"
    found: HeadsAgreement = _made_beside(key, work, name, doing, said)
    return found


def _of_corpus(corpus: Corpus, word: str, column: str | None) -> Mapped:
    identity = ("sample", corpus.identity, word, column)

    def work(job: Job) -> None:
        with folder_unsaid(corpus.name, corpus.occurrences.folder):
            drawn = stratified_sample(corpus.occurrences, word, column, progress=job.report)
        results.keep(identity, drawn)

    def said(job: Job) -> str:
        return f"{job.done} of {job.total} layers" if job.total else "Looking for occurrences …"

    doing = "Drawing a sample of the corpus …"
    drawn: Sample = _made_beside(identity, work, f"The sample of {corpus.name}", doing, said)
    return _of_opened(
        identity, drawn.opened, drawn=Drawn(corpus, drawn, column), colours=drawn.names
    )


def _of_file(upload: "UploadedFile", request: Request) -> Mapped:
    with waiting("Reading the file …", height=480):
        opened = opened_file(upload, request.word)
    colours = None
    if request.column is not None and request.column in opened.columns:
        import pyarrow as pa

        groups = value_groups(pa.array(list(opened.columns[request.column])))
        colours = tuple(groups.names[number] for number in groups.of)
    return _of_opened(("file", upload.file_id, request.word), opened, colours=colours)


def _of_opened(identity: tuple[Hashable, ...], opened: Opened, **more: Any) -> Mapped:
    about = (opened.word, opened.model, opened.pooling, opened.found, opened.layers, opened.total)
    return Mapped(identity, *about, opened, **more)


def _made_beside(
    key: Hashable, work: Callable[[Job], None], name: str, doing: str, said: Callable[[Job], str]
) -> Any:
    """What a job beside the page keeps in the cache; again if it was given up, or let go of."""
    while (found := results.find(key)) is None:
        slot = st.empty()  # for the progress, above the grey shape
        with waiting(doing, height=480), slot:
            jobs.follow(jobs.begin(key, name, work), said)
    return found


def _make_ready(model: str) -> None:
    """Have the encoder in memory before it is needed, and scikit-learn soon after.

    Groups are made after the last batch only: until then nobody has to wait for scikit-learn.
    """
    with turn():
        models.encoder(model)
    threading.Thread(
        target=importlib.import_module, args=("sklearn.cluster",), name="scikit-learn", daemon=True
    ).start()


def say_what_is_missing(bert: Bert, request: Request, mapped: Mapped) -> None:
    """Say what is not on the map, and which model made the vectors."""
    count, total = f"{len(mapped.occurrences):,}", f"{mapped.total:,}"
    if request.matches is not None:
        _say_what_was_cut(request.matches)
        if count != total:
            note(
                "{left_out} of {total} are left out: the word comes after the first {most} tokens "
                "of its line, or BERT reads none of its characters.",
                left_out=f"{mapped.found.left_out:,}",
                total=total,
                most=bert.max_position_embeddings,
            )
        return
    if mapped.drawn is not None:
        if missing := mapped.drawn.corpus.occurrences.parts_missing:
            note(
                "This corpus is not complete: {missing} parts are missing.",
                missing=f"{missing:,}",
            )
    elif count != total:
        note(
            "The file holds {total} occurrences of “{word}”; the first {count} are on the map.",
            total=total,
            word=mapped.word,
            count=count,
        )
    if mapped.model == UNKNOWN:
        note(
            "The file does not say which model made its vectors; the one in the sidebar does not "
            "matter here."
        )
    elif mapped.model != bert.name:
        note(
            f"The vectors in this {'file' if mapped.drawn is None else 'corpus'} come from "
            "<b>{model}</b>, pooled by {pooling}; the model in the sidebar does not matter here.",
            model=mapped.model,
            pooling=mapped.pooling,
        )


def _say_what_was_cut(matches: WordOccurrences) -> None:
    """Occurrences beyond the most, the rest of long lines; and what looks like a label."""
    if matches.total > len(matches.occurrences):
        note(
            "“{word}” occurs {total} times, in {lines} lines; the first {count} are on the map. "
            "The command <code>bert-explorer occurrences</code> takes all of them.",
            word=matches.word,
            total=f"{matches.total:,}",
            lines=f"{matches.lines:,}",
            count=f"{len(matches.occurrences):,}",
        )
    if matches.shortened:
        note(
            "{shortened} of them are in lines of more than {longest} characters; of such a line, "
            "only the part around the word is read and shown.",
            shortened=f"{matches.shortened:,}",
            longest=f"{MAX_SENTENCE:,}",
        )
    if matches.tabbed > 0 and matches.tabbed >= NEARLY_ALL * matches.lines:
        note(
            "{tabbed} of {tabbed_of} lines with the word hold a tab, and are read as whole "
            "sentences. If labels come before the tabs, let the first line be “sense”, a tab, "
            "“sentence”.",
            tabbed=f"{matches.tabbed:,}",
            tabbed_of=f"{matches.lines:,}",
        )
