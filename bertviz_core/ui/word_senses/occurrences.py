"""The occurrences that the page on word senses is about, with their vectors."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.corpus.stratified_sample import value_groups
from bertviz_core.csv_files import Made
from bertviz_core.errors import UserInputError
from bertviz_core.senses import Groups, Occurrence, SenseVectors, pairs
from bertviz_core.senses.groups import FEWEST
from bertviz_core.ui import jobs
from bertviz_core.ui.html import note
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.results import models
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.choices import Choices
from bertviz_core.ui.word_senses.corpora import sampled
from bertviz_core.ui.word_senses.corpora.sampled import Drawn
from bertviz_core.ui.word_senses.shelves import Key, shelves
from bertviz_core.ui.word_senses.sources import (
    TEXT,
    Request,
    digest,
    enough,
    point_out_labels,
    say_what_was_cut,
)
from bertviz_core.vector_files import Opened
from bertviz_core.vector_files.opened import UNKNOWN, Cell

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
        vectors: float32 (n, layers, hidden_size).
        layers: Numbers of the layers, rising; 0 is the input embedding.
        group_count: How many groups to make; None for as many as the silhouette proposes.
        total: How many occurrences there are, with those that are not on the map.
        opened: The file or the sample that the vectors were read from; None where the model ran.
        drawn: The corpus that they are a sample of.
        colours: Of each occurrence the group of the column that it is coloured by; None for none.
    """

    word: str
    key: Key
    occurrences: tuple[Occurrence, ...]
    vectors: Array
    layers: tuple[int, ...]
    group_count: int | None = None
    total: int = 0
    opened: Opened | None = None
    drawn: Drawn | None = None
    colours: tuple[str, ...] | None = None

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
        compared = [labels[row] for row in pairs.sampled(range(len(labels)))]
        return 1 < len(set(compared)) < len(compared)

    @cached_property
    def marks(self) -> str:
        """Names labels and lines in the caches, as `key` names sentences and words."""
        told = repr([(occurrence.sense, occurrence.line) for occurrence in self.occurrences])
        return hashlib.sha256(told.encode()).hexdigest()

    @property
    def columns(self) -> Mapping[str, Sequence[Cell]]:
        """What else the source says of each occurrence, by the name of the column."""
        return {} if self.opened is None else self.opened.columns

    def at(self, layer: int) -> Array:
        """The vectors of one layer: float32 (n, hidden_size)."""
        return self.vectors[:, self.layers.index(layer)]

    def numbers_of(self, places: Sequence[int]) -> list[int]:
        """The layers that stand at some places among those there are."""
        return [self.layers[place] for place in places]

    def groups(self, layer: int) -> Groups:
        """The groups at one layer."""
        return results.groups(self.key, layer, self.at(layer)).with_count(self.group_count)

    def made(self, layer: int) -> Made:
        """How what is saved was made, beside its model."""
        made: Made = {"word": self.word, "layer": layer, "pooling": self.key.pooling}
        if self.drawn is not None:
            made = {**made, "corpus": self.drawn.corpus.name}
        return made if self.opened is None else {**made, "vectors of": self.key.model}

    def printed_by(self, bert: Bert) -> bool:
        """Whether the programs of the page print its numbers, run with the model in use."""
        every = self.layers == tuple(range(bert.num_hidden_layers + 1))
        own = self.opened is None or self.opened.as_computed
        return own and every and self.key.model == bert.name


def run(bert: Bert, request: Request, choices: Choices) -> Mapped:
    """Take the vectors of the occurrences that are asked for; see `say_what_is_missing`.

    Raises:
        UserInputError: There are too few occurrences, or the file cannot be read.
    """
    if request.corpus is not None:
        drawn = sampled.draw(request.corpus, request.word, request.column)
        mapped = _from_opened(drawn.key, drawn.sample.opened, choices)
        return replace(mapped, drawn=drawn, colours=drawn.sample.names)
    if request.upload is not None:
        return _from_file(request.upload, request, choices)
    if request.matches is None:
        note("Upload a file to see its map here.")
        if request.source == TEXT and not models.has_encoder(bert.name):
            with waiting("Loading the model meanwhile, once …", height=80):
                results.make_ready(bert.name)
        st.stop()
    occurrences = enough(request.matches)
    key = Key(bert.name, digest(occurrences), choices.pooling)
    vectors = _vectors(key, occurrences)
    _check_count(request.word, vectors)
    layers = tuple(range(vectors.vectors.shape[1]))
    return Mapped(
        request.word,
        key,
        vectors.occurrences,
        vectors.vectors,
        layers,
        choices.group_count,
        len(occurrences),
    )


def say_what_is_missing(bert: Bert, request: Request, mapped: Mapped) -> None:
    """Say what is not on the map, and whose vectors are."""
    count = len(mapped.occurrences)
    if request.matches is None:
        if mapped.drawn is not None:
            sampled.say_what_is_missing(mapped.drawn.corpus)
        elif mapped.total > count:
            note(
                "The file holds {total} occurrences of “{word}”; the first {count} are on the map.",
                total=f"{mapped.total:,}",
                word=mapped.word,
                count=f"{count:,}",
            )
        if mapped.key.model == UNKNOWN:
            note(
                "The file does not say which model made its vectors; the one in the sidebar does "
                "not matter here."
            )
        elif mapped.key.model != bert.name:
            note(
                "The vectors in this "
                + ("file" if mapped.drawn is None else "corpus")
                + " come from <b>{model}</b>, pooled by {pooling}; the model in the sidebar does "
                "not matter here.",
                model=mapped.key.model,
                pooling=mapped.key.pooling,
            )
        return
    say_what_was_cut(request.matches)
    point_out_labels(request.matches)
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
    return shelf.vectors


def _progress_text(job: Job) -> str:
    return f"{job.done:,} of {job.total:,} occurrences" if job.total else LOADING


def _from_file(upload: "UploadedFile", request: Request, choices: Choices) -> Mapped:
    with waiting("Reading the file …", height=480):
        opened = results.opened_file(upload.file_id, request.word or None, upload)
    key = Key(opened.model, f"file {upload.file_id} {request.word}", opened.pooling)
    mapped = _from_opened(key, opened, choices)
    if request.column is None or request.column not in opened.columns:
        return mapped
    import pyarrow as pa

    groups = value_groups(pa.array(list(opened.columns[request.column])))
    return replace(mapped, colours=tuple(groups.names[number] for number in groups.of))


def _from_opened(key: Key, opened: Opened, choices: Choices) -> Mapped:
    _check_count(opened.word, opened.found)
    return Mapped(
        opened.word,
        key,
        opened.found.occurrences,
        opened.found.vectors,
        opened.layers,
        choices.group_count,
        opened.total,
        opened,
    )


def _check_count(word: str, vectors: SenseVectors) -> None:
    if len(vectors.occurrences) < FEWEST:
        raise UserInputError(
            f"{len(vectors.occurrences)} occurrences of “{word}” can be drawn; a map needs at "
            f"least {FEWEST}."
        )
