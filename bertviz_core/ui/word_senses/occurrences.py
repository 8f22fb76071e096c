"""The occurrences that the page on word senses is about, with their vectors."""

from dataclasses import dataclass

import streamlit as st

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.contextual.words import Pooling
from bertviz_core.errors import UserInputError
from bertviz_core.senses import Groups, Occurrence
from bertviz_core.senses.groups import FEWEST
from bertviz_core.ui import jobs
from bertviz_core.ui.html import note
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.memory import models
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.results import Key
from bertviz_core.ui.word_senses.sources import TEXT, Asked, digest, enough, say_what_was_cut


@dataclass(frozen=True, eq=False)
class Mapped:
    """The occurrences in view.

    Attributes:
        word: The word.
        key: Names their vectors in the caches.
        occurrences: n of them.
        vectors: float32 (n, layers + 1, hidden_size).
    """

    word: str
    key: Key
    occurrences: tuple[Occurrence, ...]
    vectors: Array

    @property
    def labelled(self) -> bool:
        return any(one.sense is not None for one in self.occurrences)

    @property
    def last_layer(self) -> int:
        return self.vectors.shape[1] - 1

    def groups(self, layer: int) -> Groups:
        """The groups at one layer."""
        key = self.key
        return results.groups(key.model, key.digest, key.pooling, layer, self.vectors)


def run(bert: Bert, asked: Asked, pooling: Pooling) -> Mapped:
    """Take the vectors of what was asked for, saying what is left out.

    Raises:
        UserInputError: There are too few occurrences, or the file cannot be read.
    """
    if asked.upload is not None:
        return _from_file(bert, asked)
    if asked.found is None:
        note("Upload a file to see its map here.")
        if asked.source == TEXT and not models.has_encoder(bert.name):
            with waiting("Loading the model meanwhile, once …", height=80):
                results.make_ready(bert.name)
        st.stop()
    occurrences = enough(asked.found, FEWEST)
    say_what_was_cut(asked.found)
    key = Key(bert.name, digest(occurrences), pooling)
    vectors = results.known_vectors(key, len(occurrences)) or _run_now(key, occurrences, pooling)
    if vectors.left_out:
        note(
            "{count} of {total} are left out: the word lies beyond the {most} tokens of a line "
            "that the model can take, or holds no character that BERT reads.",
            count=f"{vectors.left_out:,}",
            total=f"{len(occurrences):,}",
            most=bert.max_position_embeddings,
        )
    return _mapped(asked.word, key, vectors)


def _run_now(
    key: Key, occurrences: tuple[Occurrence, ...], pooling: Pooling
) -> senses.SenseVectors:
    with waiting(f"Running BERT on {len(occurrences):,} occurrences …", height=640):
        job = results.compute_vectors(key, occurrences, pooling)
        jobs.follow(job, _progress_text)
    return job.outcome()


def _progress_text(job: Job) -> str:
    if not job.total:
        return "Loading the model, once …"
    return f"{job.done:,} of {job.total:,} occurrences"


def _from_file(bert: Bert, asked: Asked) -> Mapped:
    assert asked.upload is not None
    with waiting("Reading the file …", height=640):
        opened = results.opened_parquet(asked.upload.file_id, asked.upload)
    count = len(opened.vectors.occurrences)
    if opened.total > count:
        note(
            "The file holds {total} occurrences of “{word}”; the first {count} are on the map.",
            total=f"{opened.total:,}",
            word=opened.word,
            count=f"{count:,}",
        )
    if opened.model != bert.name:
        note(
            "The vectors in this file come from <b>{model}</b>, pooled by {pooling}; the model in "
            "the sidebar does not matter here.",
            model=opened.model,
            pooling=opened.pooling,
        )
    key = Key(opened.model, f"file {asked.upload.file_id}", opened.pooling)
    return _mapped(opened.word, key, opened.vectors)


def _mapped(word: str, key: Key, vectors: senses.SenseVectors) -> Mapped:
    if len(vectors.occurrences) < FEWEST:
        raise UserInputError(
            f"{len(vectors.occurrences)} occurrences of “{word}” can be drawn; a map needs at "
            f"least {FEWEST}."
        )
    return Mapped(word, key, vectors.occurrences, vectors.vectors)
