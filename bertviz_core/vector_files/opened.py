"""Occurrences with vectors made elsewhere, in one form for any file, and how large these may be."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.errors import UserInputError
from bertviz_core.result import Readable
from bertviz_core.senses.occurrences import LONGEST_LABEL, LONGEST_SENTENCE, Occurrence, parts_of
from bertviz_core.senses.vectors import SenseVectors

Cell = str | int | float | bool | None
LONGEST_NAME = 200  # characters, of a model, a word or a column
LARGEST_NUMBER = 1e6  # a number of a BERT is below 100; sums and squares of these stay finite
UNKNOWN = "unknown"


@dataclass(frozen=True, eq=False, repr=False)
class Opened(Readable):
    """Occurrences of one word of a file, with their vectors."""

    word: str  # the word
    counts: Mapping[str, int]  # how many occurrences each word of the file has
    model: str  # name of the model that made the vectors; "unknown" where the file does not say
    pooling: str  # how the pieces of a word were joined, or "unknown"
    layers: tuple[int, ...]  # those of the file, rising; 0 is the input embedding
    found: SenseVectors  # the first ones that fit; vectors float32 (n, layers, hidden_size)
    # what else the file says of each of them, by the name of the column; None where it says
    # nothing
    columns: Mapping[str, Sequence[Cell]] = field(default_factory=dict)
    # whether the vectors are float32 numbers that this project wrote, so that its programs
    # print the same
    as_computed: bool = False

    @property
    def total(self) -> int:
        """How many occurrences of the word the file holds."""
        return self.counts[self.word]


def chosen_word(counts: Mapping[str, int], word: str | None) -> str:
    """The word that is asked for; where the file has it not, its most frequent one."""
    if len(counts) > MOST_WORDS:
        raise UserInputError(f"The file has {len(counts):,} words; up to {MOST_WORDS:,} can be.")
    if word is not None and word in counts:
        return word
    return max(counts, key=counts.__getitem__, default=word or "")


def occurrence(
    sentence: str | None, start: Any, end: Any, line: int | None, sense: str | None = None
) -> Occurrence:
    """One row of a file; of a long sentence a part around the word is kept."""
    if (
        sentence is None
        or line is None
        or not isinstance(start, int)
        or not isinstance(end, int)
        or not 0 <= start < end <= len(sentence)
    ):
        raise UserInputError("The file has a row whose word is not in its sentence.")
    if end - start > LONGEST_SENTENCE:
        raise UserInputError(
            f"The file has a row whose word has more than {LONGEST_SENTENCE:,} characters."
        )
    (part,) = parts_of(sentence, [(start, end)])
    return Occurrence(*part, line, (sense or "")[:LONGEST_LABEL] or None)


def finite(numbers: NDArray[Any]) -> Array:
    """Numbers of vectors as float32; what is not finite, or too large, is refused."""
    with np.errstate(invalid="ignore", over="ignore"):
        vectors = numbers.astype(np.float32, copy=False)  # first: a float16 has no bound to compare
        if not (np.abs(vectors) <= LARGEST_NUMBER).all():  # nor is what is no number
            raise UserInputError(
                "The file has vectors with numbers that are missing or not finite, or beyond "
                f"±{LARGEST_NUMBER:,.0f}."
            )
    return vectors


def line_numbers(lines: Iterable[Hashable]) -> list[int]:
    """Number lines from 1, in the order in which they appear; equal ones are one line."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(line, len(numbers) + 1) for line in lines]


def shortened(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Values of a column, text cut to the length of a label; NaN is None."""
    return tuple(
        cell[:LONGEST_LABEL] if isinstance(cell, str) else None if cell != cell else cell
        for cell in cells
    )


LARGEST = 64_000_000  # bytes of vectors that are kept
# A BERT has up to 48 layers of 1,536 numbers. A map takes the square of the numbers in memory, and
# their cube in time.
MOST_LAYERS, MOST_DIMENSIONS = 64, 1_536
MOST_ROWS = 1_000_000
MOST_BYTES = 64_000_000  # of an archive, once it is unpacked
MOST_TEXT = 32_000_000  # bytes of one array of text, once it is unpacked
MOST_COLUMNS = 40  # beside those that every file has
MOST_WORDS = 10_000


def check_shape(layers: int, hidden_size: int) -> None:
    """Refuse vectors of too many layers or numbers."""
    if not (0 < layers <= MOST_LAYERS and 0 < hidden_size <= MOST_DIMENSIONS):
        raise UserInputError(
            f"The file says that its vectors have {layers:,} layers of {hidden_size:,} numbers; "
            f"up to {MOST_LAYERS} of {MOST_DIMENSIONS:,} can be."
        )


def check_columns(further: int) -> None:
    """Refuse too many columns beside those that every file has."""
    if further > MOST_COLUMNS:
        raise UserInputError(
            f"The file has {further:,} further columns; up to {MOST_COLUMNS} can be."
        )


def check_rows(rows: int) -> None:
    """Refuse too many rows."""
    if rows > MOST_ROWS:
        raise UserInputError(
            f"The file has {rows:,} rows, or more; up to {MOST_ROWS:,} can be read."
        )


def rows_that_fit(most: int, layers: int, hidden_size: int) -> int:
    """How many rows are read at most."""
    return min(most, max(LARGEST // (4 * layers * hidden_size), 1))


def check_sizes(size: int, text: int) -> None:
    """Refuse an archive that is too large once it is unpacked."""
    if size > MOST_BYTES or text > MOST_TEXT:
        raise UserInputError(
            f"The file is too large inside: {size / 1e6:,.0f} MB have to be unpacked, "
            f"{text / 1e6:,.0f} MB of it one array of text; up to {MOST_BYTES / 1e6:.0f} MB and "
            f"{MOST_TEXT / 1e6:.0f} MB of text can be."
        )
