"""The sample of a corpus that is the map, kept for all viewers, and what is said of it."""

from dataclasses import dataclass

import streamlit as st

from bertviz_core.corpus.stratified_sample import Sample, stratified_sample
from bertviz_core.ui import jobs
from bertviz_core.ui.html import caption, note
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.show import folded_table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_senses.corpora.offered import Corpus, folder_unsaid
from bertviz_core.ui.word_senses.shelves import Key, shelves


@dataclass(frozen=True, eq=False)
class Drawn:
    """A sample and where it is from.

    Attributes:
        key: Names it in the caches.
        corpus: The corpus.
        sample: Some occurrences of one of its words.
        column: What the sample is spread over; None for nothing.
    """

    key: Key
    corpus: Corpus
    sample: Sample
    column: str | None


def draw(corpus: Corpus, word: str, column: str | None) -> Drawn:
    """Draw a sample; it is read beside the page if it is not there.

    Args:
        corpus: The corpus.
        word: One of its words.
        column: What the sample is spread over.

    Raises:
        UserInputError: A file of the corpus cannot be read any more.
    """
    about = corpus.occurrences.about
    key = Key(about.model, repr(("corpus", corpus.found_at, word, column)), about.pooling)
    shelf = shelves.shelf_for(key)

    def work(job: Job) -> None:
        with folder_unsaid(corpus.name, corpus.occurrences.folder):
            shelf.sample = stratified_sample(corpus.occurrences, word, column, progress=job.report)
        shelves.filled(key)

    # Again if the job was given up, or another viewer's, and its shelf was let go of.
    while shelf.sample is None:
        slot = st.empty()  # for the progress, above the grey shape
        with waiting("Drawing a sample of the corpus …", height=480), slot:
            job = jobs.begin(("sample", key), f"The sample of {corpus.name}", work)
            jobs.follow(job, _progress_text)
    return Drawn(key, corpus, shelf.sample, column)


def _progress_text(job: Job) -> str:
    return f"{job.done} of {job.total} layers" if job.total else "Looking for the occurrences …"


def say_what_is_missing(corpus: Corpus) -> None:
    """Say what of a corpus is not there yet."""
    if corpus.occurrences.parts_missing:
        note(
            "The job of this corpus is not finished: {missing} of its parts are missing here.",
            missing=f"{corpus.occurrences.parts_missing:,}",
        )


def say_what_was_drawn(drawn: Drawn) -> None:
    """Say how the occurrences on the map were chosen."""
    count, total = len(drawn.sample.rows), drawn.sample.opened.total
    if count == total:
        return
    caption(
        "On the map: <b>{count}</b> of the {total} occurrences of “{word}” in <b>{corpus}</b>, "
        + (
            "drawn at random."
            if drawn.sample.groups is None
            else "as many of each {column} as can be, drawn at random, and so not in proportion "
            "to the corpus."
        ),
        method="a-corpus",
        count=f"{count:,}",
        total=f"{total:,}",
        word=drawn.sample.opened.word,
        corpus=drawn.corpus.name,
        column=drawn.column or "",
    )


def groups_drawn(drawn: Drawn) -> None:
    """Offer how many of each group there are, and how many were drawn."""
    if drawn.sample.groups is None or not drawn.sample.groups:
        return
    names, sizes, taken = zip(*drawn.sample.groups, strict=True)
    folded_table(
        f"The sample by {drawn.column}: {len(names)} groups",
        lambda: {"group": list(names), "in the corpus": list(sizes), "on the map": list(taken)},
        key="sample-numbers",
        name="senses-sample",
        of={"corpus": drawn.corpus.name, "word": drawn.sample.opened.word},
    )
