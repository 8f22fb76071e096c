"""Occurrences and their vectors as Parquet files: what the command writes and the page opens."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from bertviz_core.arrays import Array, read_only
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import (
    LONGEST_LABEL,
    LONGEST_SENTENCE,
    Occurrence,
    parts_of,
)
from bertviz_core.senses.pages import unpacked_size
from bertviz_core.senses.vectors import SenseVectors

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_KEY = b"bertviz_senses"
# What one file may make of itself in memory: a few kilobytes can say that they are gigabytes.
LARGEST = 64_000_000  # bytes of vectors that are read
MOST_LAYERS, MOST_DIMENSIONS = 64, 8_192
_MOST_ROWS = 1_000_000  # in the parts of the file that are read
_MOST_BYTES = 128_000_000  # of these parts, before they are compressed
_MOST_TEXT = 32_000_000  # bytes of their sentences, and of their labels
_LONGEST_NAME = 1_000  # characters
_LARGEST_NUMBER = 1e6  # a number of a BERT is below 100; sums and squares of these stay finite
_BATCH = 4_000_000  # bytes of vectors at a time
_COLUMNS = ("line", "sense", "sentence", "start", "end", "vectors")


@dataclass(frozen=True)
class About:
    """What all vectors of a file have in common.

    Attributes:
        word: The word looked for.
        model: Name of the checkpoint.
        pooling: How the pieces of a word were joined.
        layers: num_hidden_layers + 1.
        hidden_size: Of the model.
    """

    word: str
    model: str
    pooling: str
    layers: int
    hidden_size: int


def schema(about: About) -> "pa.Schema":
    """Columns of a file; `vectors` holds the layers of an occurrence one after the other."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("line", pa.int64()),
            pa.field("sense", pa.string()),
            pa.field("sentence", pa.string()),
            pa.field("start", pa.int32()),
            pa.field("end", pa.int32()),
            pa.field("vectors", pa.list_(pa.float32(), about.layers * about.hidden_size)),
        ],
        metadata={_KEY: json.dumps(asdict(about))},
    )


def write(path: Path, about: About, written: SenseVectors) -> None:
    """Write occurrences and vectors; the file appears whole or not at all."""
    import pyarrow as pa

    occurrences = written.occurrences
    vectors = pa.FixedSizeListArray.from_arrays(
        pa.array(written.vectors.reshape(-1)), about.layers * about.hidden_size
    )
    columns = [
        pa.array([occurrence.line for occurrence in occurrences], pa.int64()),
        pa.array([occurrence.sense for occurrence in occurrences], pa.string()),
        pa.array([_encodable(occurrence.sentence) for occurrence in occurrences], pa.string()),
        pa.array([occurrence.start for occurrence in occurrences], pa.int32()),
        pa.array([occurrence.end for occurrence in occurrences], pa.int32()),
        vectors,
    ]
    write_tables(path, about, [pa.Table.from_arrays(columns, schema=schema(about))])


def write_tables(path: Path, about: About, tables: Iterable["pa.Table"]) -> None:
    """Write tables one after the other into a file that appears whole or not at all."""
    import pyarrow.parquet as pq

    unfinished = path.with_name(path.name + ".unfinished")
    # Vectors hardly shrink and have no value twice: a dictionary of them would only cost time.
    with pq.ParquetWriter(
        unfinished, schema(about), compression="zstd", use_dictionary=["sense"]
    ) as file:
        for table in tables:
            file.write_table(table)
    os.replace(unfinished, path)


def read(source: Path | IO[bytes], most: int) -> tuple[About, SenseVectors, int]:
    """Open a file of `write`.

    Args:
        source: A path, or an open file.
        most: How many occurrences to read; the others stay in the file.

    Returns:
        What the vectors have in common; the first occurrences with their vectors; how many the
        file holds.

    Raises:
        UserInputError: It is no Parquet file, not one of this project, or larger inside than fits;
            sizes are looked at before anything is unpacked.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(
            source, thrift_string_size_limit=1_000_000, thrift_container_size_limit=100_000
        ) as file:
            metadata = file.metadata
        about = _about(metadata.schema.to_arrow_schema())
        row_bytes = 4 * about.layers * about.hidden_size
        wanted = min(most, max(LARGEST // row_bytes, 1), metadata.num_rows)
        parts = _parts_to_read(metadata, wanted)
        _check_pages(source, metadata, parts)
        # Read as dictionaries, a sentence or a label that many rows share stays one.
        shared = ["sense", "sentence"]
        with pq.ParquetFile(source, metadata=metadata, read_dictionary=shared) as file:
            size = min(max(_BATCH // row_bytes, 1), 256)
            batches = file.iter_batches(size, row_groups=parts, columns=list(_COLUMNS))
            return about, _sense_vectors(batches, wanted, about), metadata.num_rows
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UserInputError(
            "The file is no Parquet file that can be read; expected one that "
            "`python -m bertviz_core.senses` wrote."
        ) from error


def _parts_to_read(metadata: "pq.FileMetaData", wanted: int) -> list[int]:
    """The first row groups, as many as hold the rows wanted; refused if they are too large."""
    numbers: list[int] = []
    rows = size = 0
    texts = {"sense": 0, "sentence": 0}
    while rows < wanted and len(numbers) < metadata.num_row_groups:
        part = metadata.row_group(len(numbers))
        numbers.append(len(numbers))
        rows += part.num_rows
        size += part.total_byte_size
        for column in map(part.column, range(part.num_columns)):
            if column.path_in_schema in texts:
                texts[column.path_in_schema] += column.total_uncompressed_size
    if rows > _MOST_ROWS or size > _MOST_BYTES or max(texts.values()) > _MOST_TEXT:
        raise UserInputError(
            f"The Parquet file is too large inside: {rows:,} rows and {size / 1e6:,.0f} MB have to "
            f"be unpacked, {max(texts.values()) / 1e6:,.0f} MB of it text; up to {_MOST_ROWS:,} "
            f"rows, {_MOST_BYTES / 1e6:.0f} MB and {_MOST_TEXT / 1e6:.0f} MB of text can be."
        )
    return numbers


def _check_pages(source: Path | IO[bytes], metadata: "pq.FileMetaData", parts: list[int]) -> None:
    """Make sure that the pages unpack to no more than the end of the file says."""
    with nullcontext(source) if not isinstance(source, Path) else source.open("rb") as file:
        for part in map(metadata.row_group, parts):
            for column in map(part.column, range(part.num_columns)):
                try:
                    size = unpacked_size(file, column)
                except ValueError as error:
                    raise UserInputError(f"The Parquet file is damaged: it has {error}.") from error
                if size > column.total_uncompressed_size:
                    raise UserInputError(
                        f"The Parquet file is larger inside than it says: {size / 1e6:,.0f} MB "
                        f"of {column.path_in_schema[:40]} instead of "
                        f"{column.total_uncompressed_size / 1e6:,.0f} MB."
                    )


def _about(stored: "pa.Schema") -> About:
    try:
        values: dict[str, Any] = json.loads((stored.metadata or {})[_KEY])
        about = About(
            word=str(values["word"])[:_LONGEST_NAME],
            model=str(values["model"])[:_LONGEST_NAME],
            pooling=str(values["pooling"])[:_LONGEST_NAME],
            layers=int(values["layers"]),
            hidden_size=int(values["hidden_size"]),
        )
        sized = 0 < about.layers <= MOST_LAYERS and 0 < about.hidden_size <= MOST_DIMENSIONS
        fits = not sized or stored.equals(schema(about))
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        sized = fits = False
    if not fits:
        raise UserInputError(
            f"The Parquet file holds the columns {_listed(stored.names)}; expected "
            f"{', '.join(_COLUMNS)}, as `python -m bertviz_core.senses` writes them."
        )
    if not sized:
        raise UserInputError(
            f"The Parquet file says that its vectors have {about.layers:,} layers of "
            f"{about.hidden_size:,} numbers; up to {MOST_LAYERS} of {MOST_DIMENSIONS:,} can be."
        )
    return about


def _listed(names: list[str]) -> str:
    return ", ".join(name[:40] for name in names[:20]) or "none"


def _sense_vectors(batches: Iterable["pa.RecordBatch"], wanted: int, about: About) -> SenseVectors:
    occurrences: list[Occurrence] = []
    vectors = np.empty((wanted, about.layers, about.hidden_size), np.float32)
    for batch in batches:
        batch = batch.slice(0, wanted - len(occurrences))
        vectors[len(occurrences) :][: len(batch)] = _vectors(batch.column("vectors"), about)
        occurrences += _occurrences(batch)
        if len(occurrences) >= wanted:
            break
    return SenseVectors(tuple(occurrences), read_only(vectors[: len(occurrences)]), 0)


def _occurrences(batch: "pa.RecordBatch") -> Iterator[Occurrence]:
    columns = [_texts(batch.column("sentence"))]
    columns += [batch.column(name).to_pylist() for name in ("start", "end", "line")]
    columns.append(_texts(batch.column("sense")))
    for sentence, start, end, line, sense in zip(*columns, strict=True):
        if None in (sentence, start, end, line) or not 0 <= start < end <= len(sentence):
            raise UserInputError("The Parquet file has a row whose word is not in its sentence.")
        if end - start > LONGEST_SENTENCE:
            raise UserInputError(
                f"The Parquet file has a row whose word has more than {LONGEST_SENTENCE:,} "
                "characters."
            )
        (part,) = parts_of(sentence, [(start, end)])
        yield Occurrence(*part, line, sense and sense[:LONGEST_LABEL])


def _texts(column: "pa.DictionaryArray") -> list[str | None]:
    """The text of each row; rows with the same one share it. What no row uses is not decoded."""
    import pyarrow.compute as pc

    used = column.indices.unique()
    texts = dict(zip(used.to_pylist(), pc.take(column.dictionary, used).to_pylist(), strict=True))
    return [texts[number] for number in column.indices.to_pylist()]


def _vectors(column: "pa.FixedSizeListArray", about: About) -> Array:
    flat = column.flatten().to_numpy(zero_copy_only=False)
    if flat.size != len(column) * about.layers * about.hidden_size:
        raise UserInputError("The Parquet file has vectors that are missing.")
    if not (np.abs(flat) <= _LARGEST_NUMBER).all():  # nor is what is no number
        raise UserInputError(
            "The Parquet file has vectors with numbers that are missing or not finite, or beyond "
            f"±{_LARGEST_NUMBER:,.0f}."
        )
    return flat.reshape(-1, about.layers, about.hidden_size)


def _encodable(text: str) -> str:
    """Halves of surrogate pairs, which Parquet cannot hold, become U+FFFD; the length stays."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
