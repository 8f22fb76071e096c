"""Files of occurrences and vectors as a job or somebody else writes them; tests make them."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bertviz_core.corpus.job import Carried
from bertviz_core.corpus.schema import About, Receipt, schema

SENTENCES = ("We sat on the bank.", "A bank of mud.", "The bank lent money.", "Banks of the Rhine.")
SPANS = ((14, 18), (2, 6), (4, 8), (0, 5))


def numbers(rows: int, layers: int = 2, hidden_size: int = 4) -> np.ndarray:
    """Vectors at random, float32 (rows, layers, hidden_size)."""
    return np.random.default_rng(0).standard_normal((rows, layers, hidden_size), np.float32)


def rows_of(count: int) -> dict[str, list[Any]]:
    """Sentences, and where the word stands in them."""
    spans = [SPANS[row % 4] for row in range(count)]
    return {
        "sentence": [SENTENCES[row % 4] for row in range(count)],
        "start": [start for start, _ in spans],
        "end": [end for _, end in spans],
    }


def job_file(
    vectors: np.ndarray,
    words: Sequence[str] | None = None,
    *,
    layers: Sequence[int] = (0, 6),
    model: str = "tiny-bert",
    stored: str = "float32",
    further: Mapping[Carried, Sequence[Any]] | None = None,
    group: int = 3,
) -> bytes:
    """A part as a job writes it: float (n, layers, hidden_size), row groups of a few rows."""
    count, _, hidden_size = vectors.shape
    about = About(model, "0" * 64, "mean", tuple(layers), hidden_size, stored)
    further = further or {}
    columns = schema(about, list(further), Receipt(occurrences=count))
    values: dict[str, Any] = {"word": list(words or ["bank"] * count), **rows_of(count)}
    values |= {"source": ["a.txt"] * count, "offset": [100 * row for row in range(count)]}
    values |= {column.name: list(cells) for column, cells in further.items()}
    for place, layer in enumerate(layers):
        flat = vectors[:, place].astype(stored).reshape(-1)
        values[f"layer_{layer}"] = pa.FixedSizeListArray.from_arrays(pa.array(flat), hidden_size)
    file = io.BytesIO()
    arrays = [
        values[field.name]
        if isinstance(values[field.name], pa.Array)
        else pa.array(values[field.name], field.type)
        for field in columns
    ]
    table = pa.Table.from_arrays(arrays, schema=columns)
    pq.write_table(table, file, compression="zstd", row_group_size=group)
    return file.getvalue()


def table_file(columns: Mapping[str, Any], **options: Any) -> bytes:
    """A Parquet file of any columns, without a word of who wrote it."""
    file = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), file, **options)
    return file.getvalue()


def npz_file(packed: bool = False, **arrays: Any) -> bytes:
    """A NumPy archive."""
    file = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(file, **arrays)
    return file.getvalue()
