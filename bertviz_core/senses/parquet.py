"""Occurrences and their vectors as Parquet files: what the command writes and the page opens."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from bertviz_core.arrays import Array, read_only
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import Occurrence
from bertviz_core.senses.vectors import SenseVectors

if TYPE_CHECKING:
    import pyarrow as pa

_KEY = b"bertviz_senses"
LARGEST = 200_000_000  # bytes of vectors read from one file; a small host has no more to spare
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
        UserInputError: It is no Parquet file, or not one of this project.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(source) as file:
            about = _about(file.schema_arrow)
            batches = []
            wanted = min(most, max(LARGEST // (4 * about.layers * about.hidden_size), 1))
            for batch in file.iter_batches(batch_size=256, columns=list(_COLUMNS)):
                batches.append(batch.slice(0, wanted))
                wanted -= len(batches[-1])
                if wanted <= 0:
                    break
            total = file.metadata.num_rows
        table = pa.Table.from_batches(batches, schema(about))
        return about, _sense_vectors(table, about), total
    except (pa.ArrowException, OSError) as error:
        raise UserInputError(
            "The file is no Parquet file that can be read; expected one that "
            "`python -m bertviz_core.senses` wrote."
        ) from error


def _about(stored: "pa.Schema") -> About:
    try:
        values: dict[str, Any] = json.loads((stored.metadata or {})[_KEY])
        about = About(
            word=str(values["word"]),
            model=str(values["model"]),
            pooling=str(values["pooling"]),
            layers=int(values["layers"]),
            hidden_size=int(values["hidden_size"]),
        )
        fits = about.layers > 0 and about.hidden_size > 0 and stored.equals(schema(about))
    except (KeyError, TypeError, ValueError):
        fits = False
    if not fits:
        raise UserInputError(
            f"The Parquet file holds the columns {', '.join(stored.names) or 'none'}; expected "
            f"{', '.join(_COLUMNS)}, as `python -m bertviz_core.senses` writes them."
        )
    return about


def _sense_vectors(table: "pa.Table", about: About) -> SenseVectors:
    names = ("sentence", "start", "end", "line", "sense")
    rows = list(zip(*(table.column(name).to_pylist() for name in names), strict=True))
    for sentence, start, end, line, _ in rows:
        if None in (sentence, start, end, line) or not 0 <= start < end <= len(sentence):
            raise UserInputError("The Parquet file has a row whose word is not in its sentence.")
    occurrences = tuple(Occurrence(*row) for row in rows)
    vectors = _vectors(table.column("vectors").chunks, about)
    if len(vectors) != len(occurrences) or not np.isfinite(vectors).all():
        raise UserInputError("The Parquet file has vectors that are missing or not finite.")
    return SenseVectors(occurrences, vectors, 0)


def _vectors(chunks: Sequence["pa.FixedSizeListArray"], about: About) -> Array:
    flat = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in chunks]
    joined = np.concatenate([*flat, np.empty(0, np.float32)]).astype(np.float32, copy=False)
    if joined.size % (about.layers * about.hidden_size):
        raise UserInputError("The Parquet file has vectors that are missing.")
    return read_only(joined.reshape(-1, about.layers, about.hidden_size))


def _encodable(text: str) -> str:
    """Halves of surrogate pairs, which Parquet cannot hold, become U+FFFD; the length stays."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
