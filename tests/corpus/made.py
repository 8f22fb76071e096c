"""A folder as a job leaves it, of numbers that the tests make up."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bertviz_core.corpus import manifest
from bertviz_core.corpus.job import Carried, CorpusFile, Job, Model, Word
from bertviz_core.corpus.schema import About, Receipt, schema

HIDDEN = 4
MODEL = Model("tiny", "0" * 64, None, layers=3, hidden_size=HIDDEN)
# Two parts of a text of 150 bytes; what the second one is cut off at decides nothing here.
JOB = Job(
    words=(Word("bank", ("bank", "banks")), Word("go", ("go", "went")), Word("never", ("never",))),
    model=MODEL,
    files=(CorpusFile("/texts/old.txt", 100), CorpusFile("/texts/new.txt", 50)),
    layers=(0, 2),
    carried=(Carried("year", "int64"), Carried("author", "string")),
)


@dataclass(frozen=True)
class Row:
    """An occurrence; its vector at layer 2 is 10 times that at layer 0."""

    word: str
    vector: Sequence[float]
    source: str = "/texts/old.txt"
    year: int | None = 1900
    author: str | None = "Mary Smith"
    sentence: str = "We sat on the bank."
    start: int = 14
    end: int = 18
    offset: int = 0


def write_manifest(folder: Path, job: Job) -> None:
    """Begin a job, and let the folder go again."""
    with manifest.begin(folder, job):
        pass


def write_part(folder: Path, job: Job, number: int, rows: Sequence[Row], group: int = 2) -> Path:
    """Write the file of a part, row groups of a few rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    about = About.of(job)
    columns = schema(about, job.carried, Receipt(occurrences=len(rows)))
    values: dict[str, Any] = {
        name: [getattr(row, name) for row in rows]
        for name in columns.names
        if not name.startswith("layer_")
    }
    for layer in about.layers:
        vectors = np.array([row.vector for row in rows], about.stored).reshape(
            -1, about.hidden_size
        )
        scaled = vectors * np.asarray(10 if layer else 1, about.stored)
        values[f"layer_{layer}"] = pa.FixedSizeListArray.from_arrays(
            pa.array(scaled.reshape(-1)), about.hidden_size
        )
    arrays = [pa.array(values[name], columns.field(name).type) if isinstance(values[name], list)
              else values[name] for name in columns.names]  # fmt: skip
    path = folder / f"part-{number:06d}.parquet"
    pq.write_table(pa.Table.from_arrays(arrays, schema=columns), path, row_group_size=group)
    return path
