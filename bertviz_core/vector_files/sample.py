"""A sample of a word's occurrences in a corpus, small enough for a map."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, Ids, frozen, read_only
from bertviz_core.corpus.schema import END, OFFSET, SENSE, SENTENCE, SOURCE, START
from bertviz_core.corpus.store import Occurrences
from bertviz_core.result import Result, cut
from bertviz_core.senses.occurrences import occurrence_columns
from bertviz_core.senses.vectors import SenseVectors
from bertviz_core.vector_files.bounds import rows_that_fit
from bertviz_core.vector_files.opened import Opened, line_numbers, occurrence, shortened
from bertviz_core.vector_files.strata import Strata, drawn, strata

MOST = 500  # occurrences: a map of more cannot play


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Result):
    """Some occurrences of a word in a corpus.

    Attributes:
        opened: The occurrences and their vectors; `total` says how many there are in all.
        rows: int64 (n,), read-only: their numbers in the corpus.
        groups: Of each group of the column that the sample is spread over: its name, how many
            occurrences it has, and how many of them were drawn. None where it is spread over none.
        names: Of each of the n the name of its group; None where there are none.
    """

    opened: Opened
    rows: Ids
    groups: tuple[tuple[str, int, int], ...] | None = None
    names: tuple[str, ...] | None = None

    def columns(self) -> dict[str, Any]:
        """One row an occurrence."""
        found = self.opened.found.occurrences
        columns = {"row": self.rows, **occurrence_columns(found), **self.opened.columns}
        return columns if self.names is None else {**columns, "group": self.names}

    def _summary(self) -> str:
        return f"{cut(self.opened.word)}, {len(self.rows):,} of {self.opened.total:,} occurrences"


def sample(
    occurrences: Occurrences,
    word: str,
    column: str | None = None,
    *,
    most: int = MOST,
    progress: Callable[[int, int], None] | None = None,
) -> Sample:
    """Draw occurrences of a word at random, always the same ones, and read their vectors.

    Args:
        occurrences: The corpus.
        word: One of its words.
        column: The sample has as many occurrences of each group of this column as can be; see
            `strata`. None for a plain random sample.
        most: How many to draw; fewer where their vectors would be too large.
        progress: Called after each layer with how many are read, and how many there are.

    Raises:
        UserInputError: There is no such word or column, or a file cannot be read any more.
    """
    rows = occurrences.rows(word=word)
    groups = None if column is None else strata(occurrences.take(rows, [column]).column(column))
    layers = occurrences.layers
    fitting = rows_that_fit(most, len(layers), occurrences.about.hidden_size)
    chosen = drawn(np.zeros(len(rows), np.int64) if groups is None else groups.of, fitting)
    taken = frozen(rows[chosen], np.int64)
    vectors = np.empty((len(taken), len(layers), occurrences.about.hidden_size), np.float32)
    for place, layer in enumerate(layers):
        vectors[:, place] = occurrences.vectors(layer, taken)
        if progress is not None:
            progress(place + 1, len(layers))
    opened = _opened(occurrences, word, taken, len(rows), read_only(vectors))
    if groups is None:
        return Sample(opened, taken)
    names = tuple(groups.names[number] for number in groups.of[chosen])
    return Sample(opened, taken, _counted(groups, chosen), names)


def _counted(groups: Strata, chosen: Ids) -> tuple[tuple[str, int, int], ...]:
    drawn_of = np.bincount(groups.of[chosen], minlength=len(groups.names))
    return tuple(zip(groups.names, groups.sizes.tolist(), drawn_of.tolist(), strict=True))


def _opened(occurrences: Occurrences, word: str, rows: Ids, total: int, vectors: Array) -> Opened:
    about = occurrences.about
    labelled = any(one.name == SENSE and one.kind == "string" for one in occurrences.carried)
    carried = [one.name for one in occurrences.carried if not (labelled and one.name == SENSE)]
    names = [SENTENCE, START, END, SOURCE, OFFSET, *carried, *([SENSE] if labelled else [])]
    table = occurrences.take(rows, names)
    cells = {name: table.column(name).to_pylist() for name in names}
    found = zip(
        cells[SENTENCE],
        cells[START],
        cells[END],
        line_numbers(zip(cells[SOURCE], cells[OFFSET], strict=True)),
        cells[SENSE] if labelled else [None] * len(rows),
        strict=True,
    )
    return Opened(
        word,
        {word: total},
        about.model,
        about.pooling,
        about.layers,
        SenseVectors(tuple(occurrence(*row) for row in found), vectors, 0),
        {name: shortened(cells[name]) for name in (SOURCE, OFFSET, *carried)},
        about.stored == "float32",
    )
