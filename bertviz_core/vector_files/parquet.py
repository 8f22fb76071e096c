"""Parquet files of occurrences: those of a corpus job, and tables of the same columns.

`corpus/schema.py` says what a job writes. A table that was made elsewhere needs its columns word,
sentence, start, end and at least one layer_N with lists of numbers; the others may be left out.
"""

from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from bertviz_core.arrays import Array, Ids, read_only
from bertviz_core.corpus.schema import END, OFFSET, SENSE, SENTENCE, SOURCE, START, WORD
from bertviz_core.errors import UserInputError
from bertviz_core.senses.vectors import SenseVectors
from bertviz_core.vector_files import bounds
from bertviz_core.vector_files.form import Form, form_of
from bertviz_core.vector_files.opened import (
    LONGEST_NAME,
    Cell,
    Opened,
    chosen_word,
    finite,
    line_numbers,
    occurrence,
    shortened,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_MOST_AT_ONCE = 4_096  # rows


def read(file: IO[bytes], metadata: "pq.FileMetaData", word: str | None, most: int) -> Opened:
    """Open a Parquet file of occurrences.

    Args:
        file: The file, open.
        metadata: From its end.
        word: Which word to take; None, or one that is not in the file, for the most frequent.
        most: How many occurrences to read.

    Raises:
        UserInputError: A column is missing or of another type, or the file is larger inside than
            fits; sizes are looked at before anything is unpacked.
    """
    form = form_of(metadata)
    words = _words(file, metadata)
    names = list(dict.fromkeys(words))
    numbers = {name: number for number, name in enumerate(names)}
    of_rows = np.array([numbers[name] for name in words], np.int64)
    counts = dict(zip(names, np.bincount(of_rows, minlength=len(names)).tolist(), strict=True))
    chosen = chosen_word(counts, word)
    fitting = bounds.rows_that_fit(most, len(form.layers), form.hidden_size)
    rows = np.flatnonzero(of_rows == numbers.get(chosen, -1))[:fitting]
    cells, vectors = _read_rows(file, metadata, form, rows)
    return Opened(
        chosen,
        {chosen: 0} | counts,
        form.model,
        form.pooling,
        tuple(form.layers),
        _found(cells, vectors),
        {name: shortened(cells[name]) for name in form.further},
        form.as_computed,
    )


def _words(file: IO[bytes], metadata: "pq.FileMetaData") -> list[str]:
    """The word of each row."""
    import pyarrow.parquet as pq

    every = range(metadata.num_row_groups)
    groups = [number for number in every if metadata.row_group(number).num_rows]
    bounds.check_parquet(file, metadata, groups, {WORD: 1})
    words: list[str] = []
    with pq.ParquetFile(file, metadata=metadata, read_dictionary=[WORD]) as opened:
        for batch in opened.iter_batches(row_groups=groups, columns=[WORD]):
            for word in texts(batch.column(WORD)):
                if word is None:
                    raise UserInputError("The file has a row without a word.")
                words.append(word[:LONGEST_NAME])
    return words


def _read_rows(
    file: IO[bytes], metadata: "pq.FileMetaData", form: Form, rows: Ids
) -> tuple[dict[str, list[Any]], Array]:
    """Read some rows, rising: their cells by column, and float32 (rows, layers, hidden_size)."""
    import pyarrow.parquet as pq

    sizes = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
    starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    of_rows = np.searchsorted(starts, rows, side="right") - 1
    groups = np.unique(of_rows).tolist()
    bounds.check_parquet(file, metadata, groups, form.values)
    # Their numbers where only these row groups are read.
    before = np.concatenate([[0], np.cumsum([sizes[group] for group in groups], dtype=np.int64)])
    rows = rows - starts[of_rows] + before[np.searchsorted(groups, of_rows)]
    cells: dict[str, list[Any]] = {
        name: [] for name in form.values if name not in form.layers.values()
    }
    vectors = np.empty((len(rows), len(form.layers), form.hidden_size), np.float32)
    at_once = bounds.BATCH // (4 * len(form.layers) * form.hidden_size)
    with pq.ParquetFile(file, metadata=metadata, read_dictionary=list(form.texts)) as opened:
        start = 0
        for batch in opened.iter_batches(
            min(max(at_once, 1), _MOST_AT_ONCE), row_groups=groups, columns=list(form.values)
        ):
            first, last = np.searchsorted(rows, [start, start + len(batch)]).tolist()
            taken = batch.take(rows[first:last] - start)
            start += len(batch)
            for name, column in cells.items():
                column += texts(taken.column(name))
            for place, name in enumerate(form.layers.values()):
                vectors[first:last, place] = _numbers(taken.column(name), form.hidden_size)
    return cells, read_only(vectors)


def texts(column: "pa.Array") -> list[Any]:
    """The value of each row; rows with the same text share it. What no row uses is not decoded."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(column, pa.DictionaryArray):
        values: list[Any] = column.to_pylist()
        return values
    used = column.indices.unique().drop_null()
    decoded = pc.take(column.dictionary, used).to_pylist()
    shared = dict(zip(used.to_pylist(), decoded, strict=True)) | {None: None}
    return [shared[number] for number in column.indices.to_pylist()]


def _numbers(column: "pa.Array", hidden_size: int) -> Array:
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column)
    flat = column.flatten()
    equal = pc.all(pc.equal(lengths, hidden_size), skip_nulls=False, min_count=0).as_py()
    if not equal or flat.null_count:
        raise UserInputError(
            f"The file has vectors that are missing, or have other than {hidden_size:,} numbers."
        )
    return finite(flat.to_numpy(zero_copy_only=False)).reshape(-1, hidden_size)


def _found(cells: Mapping[str, list[Any]], vectors: Array) -> SenseVectors:
    count = len(vectors)
    if SOURCE in cells and OFFSET in cells:
        lines: Iterable[tuple[Cell, ...]] = zip(cells[SOURCE], cells[OFFSET], strict=True)
    else:  # the same sentence is the same line
        lines = ((sentence,) for sentence in cells[SENTENCE])
    rows = zip(
        cells[SENTENCE],
        cells[START],
        cells[END],
        line_numbers(lines),
        cells.get(SENSE, [None] * count),
        strict=True,
    )
    return SenseVectors(tuple(occurrence(*row) for row in rows), vectors, 0)
