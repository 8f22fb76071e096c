"""The Parquet files of a job: their columns (docs/corpus.md), and what each says of itself."""

import json
from dataclasses import asdict, astuple, dataclass
from operator import add
from typing import TYPE_CHECKING

from bertviz_core.corpus.job import Job, Part

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import FileMetaData

KEY = b"bertviz_occurrences"  # in the metadata of a file
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
    corpus: str = ""  # digest of what was read of the corpus, for a single part

    def __add__(self, other: "Receipt") -> "Receipt":
        return Receipt(*map(add, astuple(self)[:-1], astuple(other)[:-1]))


def schema(job: Job) -> "pa.Schema":
    """The columns of a file."""
    import pyarrow as pa

    vector = pa.list_(pa.float32(), job.model.hidden_size)
    text, position = pa.string(), pa.int32()
    types = dict(zip(COLUMNS, (text, text, position, position, text, pa.int64()), strict=True))
    carried = {column.name: pa.type_for_alias(column.kind) for column in job.carried}
    return pa.schema(types | carried | {f"{LAYER}{layer}": vector for layer in job.layers})


def description(job: Job, part: Part, receipt: Receipt) -> dict[bytes, str]:
    """What a part's file says of itself, in its metadata."""
    model = job.model
    about = {
        "part": part.name, "job": job.digest, "model": model.title, "sha256": model.sha256,
        "pooling": job.pooling, "layers": job.layers, "receipt": asdict(receipt),
    }  # fmt: skip
    return {KEY: json.dumps(about)}


def receipt_of(file: "FileMetaData", job: Job, part: Part) -> Receipt | None:
    """The receipt of a part's file; None where it is that of another part, or of another job."""
    try:
        said = json.loads((file.metadata or {})[KEY])
        receipt = Receipt(**said["receipt"])
        own = (said["part"], said["job"], receipt.occurrences)
    except (KeyError, TypeError, ValueError):
        return None
    same = own == (part.name, job.digest, file.num_rows)
    return receipt if same and file.schema.to_arrow_schema().equals(schema(job)) else None
