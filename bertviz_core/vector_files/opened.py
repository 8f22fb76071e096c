"""Occurrences with vectors made elsewhere, in one form for any file."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bertviz_core.errors import UserInputError
from bertviz_core.result import Readable
from bertviz_core.senses.occurrences import MAX_LABEL, MAX_SENTENCE, Occurrence, parts_of
from bertviz_core.senses.vectors import SenseVectors

Cell = str | int | float | bool | None
LONGEST_NAME = 200  # characters, of a model, a word or a column
LARGEST = 64_000_000  # bytes of vectors that are kept
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
    # what else the file says of each of them, by column; None where it says nothing
    columns: Mapping[str, Sequence[Cell]] = field(default_factory=dict)
    # whether this project wrote them as float32, so that its programs print the same
    as_computed: bool = False

    @property
    def total(self) -> int:
        """How many occurrences of the word the file holds."""
        return self.counts[self.word]


def occurrence(sentence: str, start: int, end: int, line: int, sense: str | None) -> Occurrence:
    """One row of a file; of a long sentence a part around the word is kept."""
    if not 0 <= start < end <= len(sentence):
        raise UserInputError("The file has a row whose word is not in its sentence.")
    if end - start > MAX_SENTENCE:
        raise UserInputError(
            f"The file has a row whose word has more than {MAX_SENTENCE:,} characters."
        )
    (part,) = parts_of(sentence, [(start, end)])
    return Occurrence(*part, line, (sense or "")[:MAX_LABEL] or None)


def line_numbers(lines: Iterable[Hashable]) -> list[int]:
    """Number lines from 1, in the order in which they appear; equal ones are one line."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(line, len(numbers) + 1) for line in lines]


def shortened(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Values of a column, text cut to the length of a label; NaN is None."""
    return tuple(
        cell[:MAX_LABEL] if isinstance(cell, str) else None if cell != cell else cell
        for cell in cells
    )


def rows_that_fit(most: int, layers: int, hidden_size: int) -> int:
    """How many rows are read at most."""
    return min(most, max(LARGEST // (4 * layers * hidden_size), 1))
