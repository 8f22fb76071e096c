"""Vectors, groups and maps of a word's occurrences, kept between reruns and viewers.

Keys are strings and numbers only. What is kept is read-only and shared.
"""

import importlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import streamlit as st

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.encoder import Pooling
from bertviz_core.senses import (
    Chance,
    Confound,
    Groups,
    Occurrence,
    SenseScores,
    WordOccurrences,
    projection,
)
from bertviz_core.senses.projection import Plane
from bertviz_core.senses.trust import Trust
from bertviz_core.senses.trust import trust as measure_trust
from bertviz_core.turns import time_limit
from bertviz_core.ui import jobs
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.results import gate, models
from bertviz_core.ui.word_senses.shelves import Key, Shelf, shelves
from bertviz_core.vector_files import Opened, read

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

# For work that sets how many threads the whole process uses: two at once could leave it at one. And
# for maps: of the largest file, each takes 100 MB meanwhile.
_ONE_AT_A_TIME = threading.Lock()
# Seconds for a file; the slowest that fits takes about 3, and everybody else waits meanwhile.
LONGEST = 10
READING = "Reading the file"


class _NotKeptError(Exception):
    """The result is not there, and it is not this thread's turn to compute it."""


def fill(shelf: Shelf, key: Key, occurrences: tuple[Occurrence, ...]) -> Job:
    """Run many occurrences through the model, batch by batch, so that others may run between.

    The vectors are put on the shelf alone: a job is remembered for longer than they are worth.

    Args:
        shelf: Of these occurrences.
        key: Of these occurrences.
        occurrences: From `senses.find_occurrences`.

    Returns:
        The job. Where another viewer has begun the same work it is theirs, which fills this shelf
        unless it was let go of in between.
    """

    def work(job: Job) -> None:
        with gate(job):
            encoder = models.encoder(key.model)
        shelf.vectors = senses.sense_vectors(
            encoder,
            occurrences,
            cast(Pooling, key.pooling),
            progress=job.report,
            turn=lambda: gate(job, bounded=False),
        )
        shelves.filled(key)

    return jobs.begin(("occurrences", key), f"The run over {len(occurrences):,} occurrences", work)


def make_ready(model: str) -> None:
    """Have the encoder in memory before it is needed, and scikit-learn soon after.

    Groups are made after the last batch only: until then nobody has to wait for scikit-learn.
    """
    with gate():
        models.encoder(model)
    threading.Thread(
        target=importlib.import_module, args=("sklearn.cluster",), name="scikit-learn", daemon=True
    ).start()


@st.cache_resource(max_entries=256, show_spinner=False)
def groups(key: Key, layer: int, _vectors: Array) -> Groups:
    """Group occurrences at one layer; see `senses.group`."""
    with _ONE_AT_A_TIME:
        return senses.group(_vectors)


@st.cache_resource(max_entries=64, show_spinner=False)
def sense_scores(
    key: Key, marks: str, _vectors: Array, _labels: Sequence[str | None]
) -> SenseScores:
    """Score every layer against the labels; see `senses.sense_scores`."""
    with _ONE_AT_A_TIME:
        return senses.sense_scores(_vectors, _labels)


@st.cache_resource(max_entries=64, show_spinner=False)
def confounds(
    key: Key,
    marks: str,
    model: str,
    _vectors: Array,
    _occurrences: Sequence[Occurrence],
    _bert: Bert | None,
    _scores: SenseScores | None,
) -> tuple[Confound, ...]:
    """Score every layer against form, position and so on; see `senses.confound_scores`."""
    return senses.confound_scores(_vectors, _occurrences, _bert, _scores)


@st.cache_resource(max_entries=64, show_spinner=False)
def shuffled_agreement(
    key: Key,
    marks: str,
    count: int | None,
    _by_layer: Sequence[Groups],
    _labels: Sequence[str | None],
) -> Chance:
    """What shuffled labels agree with the groups; see `senses.shuffled_agreement`."""
    return senses.shuffled_agreement(_by_layer, _labels)


@st.cache_resource(max_entries=32, show_spinner=False)
def shared_frame(key: Key, keep_drift: bool, _vectors: Array) -> Plane:
    """Project all layers into one plane; see `projection.shared_frame`."""
    with _ONE_AT_A_TIME:
        return projection.shared_frame(_vectors, keep_drift=keep_drift)


@st.cache_resource(max_entries=64, show_spinner=False)
def layer_frame(key: Key, layer: int, _vectors: Array) -> Plane:
    """Project one layer into a plane of its own; see `projection.layer_frame`."""
    with _ONE_AT_A_TIME:
        return projection.layer_frame(_vectors)


@st.cache_resource(max_entries=32, show_spinner=False)
def tsne_map(key: Key, layer: int, _vectors: Array) -> Array:
    """Lay one layer out by t-SNE; see `projection.tsne_map`."""
    with _ONE_AT_A_TIME:
        return projection.tsne_map(_vectors)


@st.cache_resource(max_entries=256, show_spinner=False)
def trust(key: Key, layer: int, kind: str, _vectors: Array, _points: Array) -> Trust:
    """Compare a map with the vectors of its layer; see `senses.trust.trust`."""
    return measure_trust(_vectors, _points)


def opened_file(file_id: str, word: str | None, upload: "UploadedFile") -> Opened:
    """Open an uploaded file once, however often the page runs; see `vector_files.read`.

    One file at a time, whoever brings it: what one becomes in memory is bounded, not their number.
    """
    key = Key("", f"file {file_id} {word}" if word else f"file {file_id}", "")
    shelf = shelves.shelf_for(key)
    if shelf.opened is not None:
        return shelf.opened
    with gate(key=key):
        if shelf.opened is None:  # else somebody has read it in this turn's place
            shelf.opened = read(upload, word, senses.MOST, time_limit(LONGEST, READING))
            shelves.filled(key)
        return shelf.opened


def searched_file(file_id: str, word: str, upload: "UploadedFile") -> WordOccurrences:
    """Look for a word in an uploaded text, once; one file at a time, as in `opened_file`."""
    with suppress(_NotKeptError):
        return _searched(file_id, word, None)
    with gate(key=("text", file_id, word)):
        return _searched(file_id, word, upload)


# The id tells the content: every upload gets one of its own. What is found cannot be changed, so
# all viewers may share it. The waiting is outside: it has messages, which would be kept with it.
@st.cache_resource(max_entries=8, show_spinner=False)
def _searched(file_id: str, word: str, _upload: "UploadedFile | None") -> WordOccurrences:
    if _upload is None:
        raise _NotKeptError
    check = time_limit(LONGEST, READING)

    def lines() -> Iterator[str]:
        for line in senses.lines_of(_upload.getvalue()):
            check()
            yield line

    return senses.find_occurrences(lines(), word)
