"""Occurrences with vectors as CSV or TSV: the columns that docs/corpus.md names, in any order."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np

from bertviz_core.arrays import Array, Ids, read_only
from bertviz_core.errors import UserInputError
from bertviz_core.errors import shortened as cut
from bertviz_core.senses.vectors import SenseVectors
from bertviz_core.vector_files.opened import (
    LONGEST_NAME,
    UNKNOWN,
    Cell,
    Opened,
    check_columns,
    check_rows,
    check_shape,
    chosen_word,
    finite,
    line_numbers,
    occurrence,
    rows_that_fit,
    shortened,
)

REQUIRED = ("sentence", "start", "end")
LONGEST_LINE = 1_000_000  # characters; a cell has at most 131,072: Python's csv takes no more
_NUMBER = re.compile(r"layer_(0|[1-9]\d{0,2})_(0|[1-9]\d{0,3})")
_WHOLE = re.compile(r"-?\d{1,9}")


@dataclass(frozen=True)
class _Form:
    """What the first line says."""

    delimiter: str  # between two cells
    width: int  # how many cells a row has
    places: dict[str, int]  # the column of each name that is no number of a vector
    layers: tuple[int, ...]  # their numbers, rising
    numbers: Ids  # int64 (layers, hidden_size): the column of each number of a vector


def read(
    file: IO[bytes], word: str | None, most: int, check: Callable[[], object] = lambda: None
) -> Opened:
    """Open a table of occurrences; it is read twice, line by line."""
    form = _form(next(_lines(file, check), ""))
    counts = _words(file, form, check)
    chosen = chosen_word(counts, word)
    count = min(rows_that_fit(most, *form.numbers.shape), counts[chosen])
    vectors = np.empty((count, *form.numbers.shape), np.float32)
    cells: dict[str, list[str]] = {name: [] for name in form.places}
    spans: list[tuple[int, int]] = []
    for number, row in _rows(file, form, check):
        if len(spans) == count:
            break
        if "word" in form.places and row[form.places["word"]][:LONGEST_NAME] != chosen:
            continue
        vectors[len(spans)] = _vectors(row, form, number)
        spans.append((_whole(row, form, "start", number), _whole(row, form, "end", number)))
        for name, place in form.places.items():
            cells[name].append(row[place])
    sentences = cells["sentence"]
    found = zip(
        sentences,
        *zip(*spans, strict=True) if spans else ((), ()),
        line_numbers(sentences),
        cells.get("sense", [None] * count),
        strict=True,
    )
    return Opened(
        chosen,
        {chosen: 0, **counts},
        UNKNOWN,
        UNKNOWN,
        form.layers,
        SenseVectors(tuple(occurrence(*row) for row in found), read_only(vectors), 0),
        {
            name[:LONGEST_NAME]: shortened(_numbers_or_texts(column))
            for name, column in cells.items()
            if name not in (*REQUIRED, "word", "sense")
        },
    )


def _lines(file: IO[bytes], check: Callable[[], object]) -> Iterator[str]:
    """The lines of a file, from its start."""
    file.seek(0)
    text = io.TextIOWrapper(file, "utf-8-sig")
    try:
        while line := text.readline(LONGEST_LINE):
            check()
            if len(line) == LONGEST_LINE:
                raise UserInputError(
                    f"The file has a line of {LONGEST_LINE:,} characters or more, which is too "
                    "long for a table."
                )
            yield line.rstrip("\n")
    except UnicodeDecodeError as error:
        raise UserInputError(
            "The file is neither NPZ nor text in UTF-8; expected NPZ, CSV or TSV, with occurrences "
            "of words and their vectors."
        ) from error
    finally:
        text.detach()  # else the file is closed


def _cells(line: str, delimiter: str, number: int) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error as error:
        raise UserInputError(
            f"Line {number:,} of the table cannot be read: a cell is too long, or a quotation mark "
            "has no partner in its line."
        ) from error


def _form(header: str) -> _Form:
    """Check the names of the columns."""
    delimiter = max("\t,;", key=header.count)
    names = [name.strip() for name in _cells(header, delimiter, 1)]
    places: dict[str, int] = {}
    of_vectors: dict[tuple[int, int], int] = {}
    for place, name in enumerate(names):
        if matched := _NUMBER.fullmatch(name):
            of_vectors[int(matched[1]), int(matched[2])] = place
        elif name:  # pandas writes the numbers of rows without one
            places[name] = place
    if len(places) + len(of_vectors) + names.count("") < len(names):
        raise UserInputError("The table has two columns of one name.")
    if not of_vectors or not places.keys() >= set(REQUIRED):
        listed = ", ".join(cut(name, 40) for name in names[:20]) or "none"
        raise UserInputError(
            f"The table has the columns {listed}; expected sentence, start, end, and the numbers "
            "of the vectors as layer_6_0, layer_6_1 and so on."
        )
    layers = tuple(sorted({layer for layer, _ in of_vectors}))
    hidden_size = max(number for _, number in of_vectors) + 1
    check_shape(len(layers), hidden_size)
    for layer in layers:
        for number in range(hidden_size):
            if (layer, number) not in of_vectors:
                raise UserInputError(
                    f"The table has no column layer_{layer}_{number}; each layer needs the same "
                    "numbers, from 0 on."
                )
    check_columns(len(places.keys() - {*REQUIRED, "word", "sense"}))
    columns = [[of_vectors[layer, number] for number in range(hidden_size)] for layer in layers]
    return _Form(delimiter, len(names), places, layers, np.array(columns))


def _rows(
    file: IO[bytes], form: _Form, check: Callable[[], object]
) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row, and the number of its line; empty lines are passed over."""
    for number, line in enumerate(_lines(file, check), start=1):
        check_rows(number - 1)  # also of empty ones
        if number == 1 or not line:
            continue
        row = _cells(line, form.delimiter, number)
        if len(row) != form.width:
            raise UserInputError(
                f"Line {number:,} of the table has {len(row):,} cells; the first line has "
                f"{form.width:,}."
            )
        yield number, row


def _words(file: IO[bytes], form: _Form, check: Callable[[], object]) -> Counter[str]:
    """How often each word occurs; without a column of words, that of the first row in every row."""
    counts: Counter[str] = Counter()
    word = ""
    for number, row in _rows(file, form, check):
        if "word" in form.places:
            word = row[form.places["word"]][:LONGEST_NAME]
        elif not counts:
            start, end = _whole(row, form, "start", number), _whole(row, form, "end", number)
            word = row[form.places["sentence"]][max(start, 0) : max(end, 0)][:LONGEST_NAME]
        counts[word] += 1
    return counts


def _whole(row: Sequence[str], form: _Form, name: str, number: int) -> int:
    cell = row[form.places[name]].strip()
    if not _WHOLE.fullmatch(cell):
        raise UserInputError(
            f"Line {number:,} of the table has “{cut(cell, 20)}” in the column {name}; expected a "
            "whole number."
        )
    return int(cell)


def _vectors(row: Sequence[str], form: _Form, number: int) -> Array:
    """The vectors of one row: float32 (layers, hidden_size)."""
    try:
        numbers = [float(row[place]) for place in form.numbers.ravel().tolist()]
    except ValueError as error:
        raise UserInputError(
            f"Line {number:,} of the table has a vector with a cell that is no number; write "
            "numbers such as 0.25, with a point."
        ) from error
    return finite(np.array(numbers)).reshape(form.numbers.shape)


def _numbers_or_texts(cells: Sequence[str]) -> Sequence[Cell]:
    """Numbers where every cell that is not empty is one; an empty cell is None."""
    try:
        return [float(cell) if cell.strip() else None for cell in cells]
    except ValueError:
        return [cell or None for cell in cells]
