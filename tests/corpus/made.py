"""A folder as a job leaves it, of numbers that the tests make up."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertviz_core.corpus.job import Carried, CorpusFile, Job, Model, Part, Word
from bertviz_core.corpus.part_files import Receipt, begin, part_file, schema

HIDDEN = 4
MODEL = Model("tiny", "0" * 64, "1" * 64, layers=3, hidden_size=HIDDEN)
# Two parts of a text of 150 bytes; what the second one is cut off at decides nothing here.
JOB = Job(
    words=(Word("bank", ("bank", "banks")), Word("go", ("go", "went")), Word("never", ("never",))),
    model=MODEL,
    files=(CorpusFile("/texts/old.txt", 100, 100), CorpusFile("/texts/new.txt", 50, 50)),
    layers=(0, 2),
    carried=(Carried("year", "int64"), Carried("author", "string")),
)


@dataclass(frozen=True)
class Row:
    """An occurrence; its vector at layer 2 is 10 times that at layer 0."""

    word: str
    vector: Sequence[float]
    source: str = "old.txt"
    year: int | None = 1900
    author: str | None = "Mary Smith"
    sentence: str = "We sat on the bank."
    start: int = 14
    end: int = 18
    offset: int = 0
    sense: str | None = None


def write_manifest(folder: Path, job: Job) -> None:
    """Begin a job, and let the folder go again."""
    with begin(folder, job):
        pass


def write_parts(folder: Path, *parts: Sequence[Row], job: Job = JOB, group: int = 2) -> Path:
    """A folder with the manifest and all parts of a job."""
    write_manifest(folder, job)
    for number, rows in enumerate(parts):
        write_part(folder, job, number, rows, group)
    return folder


def write_part(folder: Path, job: Job, number: int, rows: Sequence[Row], group: int = 2) -> Path:
    """Write the file of a part, row groups of a few rows."""
    import pyarrow as pa

    columns = schema(job)
    arrays = []
    for name, kind in zip(columns.names, columns.types, strict=True):
        if name.startswith("layer_"):
            scale = 1 if name == "layer_0" else 10
            vectors = np.array([row.vector for row in rows], np.float32) * scale
            numbers = pa.array(vectors.reshape(-1))
            arrays.append(pa.FixedSizeListArray.from_arrays(numbers, job.model.hidden_size))
        else:
            arrays.append(pa.array([getattr(row, name) for row in rows], kind))
    part = Part(number, job.files[0], 0, 0)  # what it is cut from decides nothing here
    with part_file(job, folder, part, Receipt(occurrences=len(rows))) as file:
        file.write_table(pa.Table.from_arrays(arrays, schema=columns), row_group_size=group)
    return part.path_in(folder)
