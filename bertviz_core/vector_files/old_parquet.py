"""The Parquet files of this project before it had `bertviz occurrences`: one word, all layers."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from bertviz_core.arrays import Array, read_only
from bertviz_core.errors import UserInputError
from bertviz_core.senses.occurrences import Occurrence
from bertviz_core.senses.vectors import SenseVectors
from bertviz_core.vector_files import bounds
from bertviz_core.vector_files.opened import Opened, finite, occurrence
from bertviz_core.vector_files.parquet import texts

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

KEY = b"bertviz_senses"
_LONGEST_NAME = 1_000  # characters
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
        ]
    )


def read(file: IO[bytes], metadata: "pq.FileMetaData", most: int) -> Opened:
    """Open such a file.

    Args:
        file: The file, open.
        metadata: From its end.
        most: How many occurrences to read; the others stay in the file.

    Raises:
        UserInputError: It is larger inside than fits, or holds what it should not; sizes are
            looked at before anything is unpacked.
    """
    import pyarrow.parquet as pq

    about = _about(metadata)
    row_numbers = about.layers * about.hidden_size
    wanted = min(bounds.rows_that_fit(most, about.layers, about.hidden_size), metadata.num_rows)
    groups: list[int] = []
    rows = 0
    while rows < wanted and len(groups) < metadata.num_row_groups:
        rows += metadata.row_group(len(groups)).num_rows
        groups.append(len(groups))
    values = dict.fromkeys(_COLUMNS[:-1], 1) | {"vectors": row_numbers}
    bounds.check_parquet(file, metadata, groups, values)
    # Read as dictionaries, a sentence or a label that many rows share stays one.
    shared = ["sense", "sentence"]
    with pq.ParquetFile(file, metadata=metadata, read_dictionary=shared) as opened:
        size = min(max(bounds.BATCH // (4 * row_numbers), 1), 256)
        batches = opened.iter_batches(size, row_groups=groups, columns=list(_COLUMNS))
        found = _sense_vectors(batches, wanted, about)
    return Opened(
        about.word,
        {about.word: metadata.num_rows},
        about.model,
        about.pooling,
        tuple(range(about.layers)),
        found,
        as_computed=True,
    )


def _about(metadata: "pq.FileMetaData") -> About:
    stored = metadata.schema.to_arrow_schema()
    try:
        values: dict[str, Any] = json.loads((stored.metadata or {})[KEY])
        about = About(
            word=str(values["word"])[:_LONGEST_NAME],
            model=str(values["model"])[:_LONGEST_NAME],
            pooling=str(values["pooling"])[:_LONGEST_NAME],
            layers=int(values["layers"]),
            hidden_size=int(values["hidden_size"]),
        )
        sized = (
            0 < about.layers <= bounds.MOST_LAYERS
            and 0 < about.hidden_size <= bounds.MOST_DIMENSIONS
        )
        fits = not sized or stored.equals(schema(about))
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        sized = fits = False
    if not fits:
        listed = ", ".join(name[:40] for name in stored.names[:20]) or "none"
        raise UserInputError(
            f"The file holds the columns {listed}; expected {', '.join(_COLUMNS)}, or those that "
            "bertviz occurrences writes."
        )
    bounds.check_shape(about.layers, about.hidden_size)
    return about


def _sense_vectors(batches: Iterable["pa.RecordBatch"], wanted: int, about: About) -> SenseVectors:
    occurrences: list[Occurrence] = []
    vectors = np.empty((wanted, about.layers, about.hidden_size), np.float32)
    for batch in batches:
        batch = batch.slice(0, wanted - len(occurrences))
        vectors[len(occurrences) :][: len(batch)] = _vectors(batch.column("vectors"), about)
        columns = (texts(batch.column(name)) for name in ("sentence", "start", "end", "line"))
        labels = texts(batch.column("sense"))
        occurrences += [occurrence(*row) for row in zip(*columns, labels, strict=True)]
        if len(occurrences) >= wanted:
            break
    return SenseVectors(tuple(occurrences), read_only(vectors[: len(occurrences)]), 0)


def _vectors(column: "pa.FixedSizeListArray", about: About) -> Array:
    flat = column.flatten().to_numpy(zero_copy_only=False)
    if flat.size != len(column) * about.layers * about.hidden_size:
        raise UserInputError("The file has vectors that are missing.")
    return finite(flat).reshape(-1, about.layers, about.hidden_size)
