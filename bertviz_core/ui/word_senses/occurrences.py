"""The occurrences that the page on word senses is about, with their vectors."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.csv_files import Made
from bertviz_core.errors import UserInputError
from bertviz_core.senses import Groups, Occurrence, SenseVectors
from bertviz_core.senses.groups import FEWEST
from bertviz_core.senses.pairs import sampled
from bertviz_core.ui import jobs
from bertviz_core.ui.html import note
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.results import models
from bertviz_core.ui.show import waiting
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.choices import Choices
from bertviz_core.ui.word_senses.shelves import Key, shelves
from bertviz_core.ui.word_senses.sources import TEXT, Request, digest, enough, say_what_was_cut

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

LOADING = "Loading the model, once …"


@dataclass(frozen=True, eq=False)
class Mapped:
    """The occurrences in view.

    Attributes:
        word: The word.
        key: Names their vectors in the caches.
        occurrences: n of them.
        vectors: float32 (n, layers + 1, hidden_size).
        group_count: How many groups to make; None for as many as the silhouette proposes.
        total: How many occurrences there are, with those that are not drawn.
    """

    word: str
    key: Key
    occurrences: tuple[Occurrence, ...]
    vectors: Array
    group_count: int | None = None
    total: int = 0

    @cached_property
    def senses(self) -> tuple[str | None, ...]:
        """The label of each occurrence."""
        return tuple(occurrence.sense for occurrence in self.occurrences)

    @property
    def labelled(self) -> bool:
        """Whether the source has labels of senses."""
        return any(sense is not None for sense in self.senses)

    @cached_property
    def scorable(self) -> bool:
        """Whether the labels make pairs of one sense and pairs of different senses."""
        labels = [sense for sense in self.senses if sense is not None]
        compared = [labels[row] for row in sampled(range(len(labels)))]
        return 1 < len(set(compared)) < len(compared)

    @cached_property
    def marks(self) -> str:
        """Names labels and lines in the caches, as `key` names sentences and words."""
        told = repr([(occurrence.sense, occurrence.line) for occurrence in self.occurrences])
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def last_layer(self) -> int:
        return self.vectors.shape[1] - 1

    def groups(self, layer: int) -> Groups:
        """The groups at one layer."""
        return results.groups(self.key, layer, self.vectors).with_count(self.group_count)

    def made(self, layer: int) -> Made:
        """How what is saved was made, beside its model."""
        return {"word": self.word, "layer": layer, "pooling": self.key.pooling}


def run(bert: Bert, request: Request, choices: Choices) -> Mapped:
    """Take the vectors of the occurrences that are asked for; see `say_what_is_missing`.

    Raises:
        UserInputError: There are too few occurrences, or the file cannot be read.
    """
    if request.upload is not None:
        return _from_file(request.upload, choices)
    if request.matches is None:
        note("Upload a file to see its map here.")
        if request.source == TEXT and not models.has_encoder(bert.name):
            with waiting("Loading the model meanwhile, once …", height=80):
                results.make_ready(bert.name)
        st.stop()
    occurrences = enough(request.matches, FEWEST)
    key = Key(bert.name, digest(occurrences), choices.pooling)
    vectors = _vectors(key, occurrences)
    return _mapped(request.word, key, vectors, choices, len(occurrences))


def say_what_is_missing(bert: Bert, request: Request, mapped: Mapped) -> None:
    """Say what is not on the map, and whose vectors are."""
    count = len(mapped.occurrences)
    if request.matches is None:
        if mapped.total > count:
            note(
                "The file holds {total} occurrences of “{word}”; the first {count} are on the map.",
                total=f"{mapped.total:,}",
                word=mapped.word,
                count=f"{count:,}",
            )
        if mapped.key.model != bert.name:
            note(
                "The vectors in this file come from <b>{model}</b>, pooled by {pooling}; the model "
                "in the sidebar does not matter here.",
                model=mapped.key.model,
                pooling=mapped.key.pooling,
            )
        return
    say_what_was_cut(request.matches)
    if mapped.total > count:
        note(
            "{count} of {total} are left out: the word lies beyond the {most} tokens of a line "
            "that the model can take, or holds no character that BERT reads.",
            count=f"{mapped.total - count:,}",
            total=f"{mapped.total:,}",
            most=bert.max_position_embeddings,
        )


def _vectors(key: Key, occurrences: tuple[Occurrence, ...]) -> SenseVectors:
    """The vectors, which are computed beside the page if they are not there.

    Again if the job was given up, or another viewer's, and its shelf was let go of.
    """
    shelf = shelves.shelf_for(key)
    while shelf.vectors is None:
        doing = f"Running BERT on {len(occurrences):,} occurrences …"
        slot = st.empty()  # for the progress, above the grey shape
        with waiting(doing if models.has_encoder(key.model) else LOADING, height=480), slot:
            job = results.fill(shelf, key, occurrences)
            jobs.follow(job, _progress_text)
        jobs.forget(job.key)
        job.outcome()
    return shelf.vectors


def _progress_text(job: Job) -> str:
    return f"{job.done:,} of {job.total:,} occurrences" if job.total else LOADING


def _from_file(upload: "UploadedFile", choices: Choices) -> Mapped:
    with waiting("Reading the file …", height=480):
        about, vectors, total = results.opened_parquet(upload.file_id, upload)
    key = Key(about.model, f"file {upload.file_id}", about.pooling)
    return _mapped(about.word, key, vectors, choices, total)


def _mapped(word: str, key: Key, vectors: SenseVectors, choices: Choices, total: int) -> Mapped:
    if len(vectors.occurrences) < FEWEST:
        raise UserInputError(
            f"{len(vectors.occurrences)} occurrences of “{word}” can be drawn; a map needs at "
            f"least {FEWEST}."
        )
    return Mapped(word, key, vectors.occurrences, vectors.vectors, choices.group_count, total)
