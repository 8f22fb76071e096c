"""The Parquet files of a job: their columns (docs/corpus.md), and what each says of itself."""

import json
from dataclasses import asdict, astuple, dataclass
from operator import add
from typing import TYPE_CHECKING, Any

from bertviz_core.corpus.job import Job

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import FileMetaData

KEY = b"bertviz_occurrences"  # in the metadata of a file
FORMAT = 1
COLUMNS = ("word", "sentence", "start", "end", "source", "offset")
WORD, SENTENCE, START, END, SOURCE, OFFSET = COLUMNS
SENSE = "sense"  # the carried column that holds labels
LAYER = "layer_"


@dataclass
class Receipt:
    """What was done for a part: counted while it is made, and kept in the part's file."""

    occurrences: int = 0  # rows of the file
    left_out: int = 0  # further occurrences that the model cannot take
    sentences: int = 0  # run through the model
    tokens: int = 0  # of these sentences, with [CLS] and [SEP], without padding
    bytes: int = 0  # of the corpus that were read
    unreadable: int = 0  # lines or rows that are no JSON, or hold no text
    unfit: int = 0  # values of carried columns that are not of the column's kind

    def __add__(self, other: "Receipt") -> "Receipt":
        return Receipt(*map(add, astuple(self), astuple(other)))


def schema(job: Job) -> "pa.Schema":
    """The columns of a file."""
    import pyarrow as pa

    number = pa.float16() if job.stored == "float16" else pa.float32()
    text, position = pa.string(), pa.int32()
    types = dict(zip(COLUMNS, (text, text, position, position, text, pa.int64()), strict=True))
    carried = {column.name: pa.type_for_alias(column.kind) for column in job.carried}
    layers = {f"{LAYER}{layer}": pa.list_(number, job.model.hidden_size) for layer in job.layers}
    return pa.schema(types | carried | layers)


def about(job: Job) -> dict[str, Any]:
    """What all vectors of a file have in common."""
    model = job.model
    return {
        "model": model.title, "sha256": model.sha256, "pooling": job.pooling,
        "layers": list(job.layers), "hidden_size": model.hidden_size, "stored": job.stored,
        "format": FORMAT,
    }  # fmt: skip


def description(job: Job, receipt: Receipt) -> dict[bytes, str]:
    """What a file says of itself, in its metadata."""
    return {KEY: json.dumps({"about": about(job), "receipt": asdict(receipt)})}


def described(file: "FileMetaData") -> tuple[dict[str, Any], Receipt]:
    """Read a `description`; raises KeyError, TypeError or ValueError if there is none."""
    said: dict[str, Any] = json.loads((file.metadata or {})[KEY])
    return said["about"], Receipt(**said["receipt"])
