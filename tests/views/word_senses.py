"""What the views of Word Senses are given: occurrences with vectors, and a small corpus."""

from pathlib import Path
from typing import Any

import numpy as np

from bertviz_core.encoder import Encoder
from bertviz_core.senses import (
    Occurrence,
    find_occurrences,
    prepared_set,
    sense_vectors,
)
from bertviz_core.views.view import View
from bertviz_core.views.word_senses.sense_map import PICTURE, SenseMap
from tests.corpus.made import JOB, Row, write_manifest, write_part
from tests.views.reading import sent

OLD, NEW, GO = 40, 20, 5


def mapped(encoder: Encoder, word: str, occurrences: tuple[Occurrence, ...]) -> SenseMap:
    return SenseMap(
        word,
        {word: len(occurrences)},
        encoder.bert.name,
        "mean",
        tuple(range(encoder.bert.num_hidden_layers + 1)),
        sense_vectors(encoder, occurrences),
        as_computed=True,
        identity=("of a test", encoder.bert.name, occurrences),
    )


def prepared(encoder: Encoder, word: str) -> SenseMap:
    return mapped(encoder, word, prepared_set(word).occurrences)


def own_lines(encoder: Encoder, word: str, *lines: str) -> SenseMap:
    return mapped(encoder, word, find_occurrences(lines, word).occurrences)


def map_of(view: View) -> dict[str, Any]:
    """The map of a view as the browser gets it."""
    return sent(view, PICTURE)


def rows() -> list[Row]:
    """Old occurrences of bank and new ones, which lie in another direction; some of go."""
    vectors = np.random.default_rng(0).standard_normal((OLD + NEW + GO, 4))
    vectors[OLD:, 0] += 4
    return [
        Row("bank" if number < OLD + NEW else "go", vector.tolist(),
            year=1900 + number % 3 if number < OLD else 1950 + number % 3,
            author="Ann" if number % 2 else "Bob", source="old.txt" if number < OLD else "new.txt",
            sentence=f"By bank {number}.", start=3, end=7, offset=number)
        for number, vector in enumerate(vectors)
    ]  # fmt: skip


def write_corpus(folder: Path) -> None:
    write_manifest(folder, JOB)
    write_part(folder, JOB, 0, rows()[:OLD])
    write_part(folder, JOB, 1, rows()[OLD:])
