"""The Parquet files of a job: their columns, and what each file says of itself.

word      string   name of the word
sentence  string   at most 2,000 characters around it
start     int32    first character of the word in the sentence
end       int32    one past its last
source    string   file of the corpus
offset    int64    byte at which its line or paragraph begins, or number of its row, from 0
...                the columns that are carried along
layer_6   fixed_size_list<float16 or float32>[hidden_size], one column a layer
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from operator import add
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from bertviz_core.corpus.job import Carried, Job

if TYPE_CHECKING:
    import pyarrow as pa

KEY = b"bertviz_occurrences"  # in the metadata of a file
FORMAT = 1
COLUMNS = ("word", "sentence", "start", "end", "source", "offset")
WORD, SENTENCE, START, END, SOURCE, OFFSET = COLUMNS
SENSE = "sense"  # the carried column that holds labels
LAYER = "layer_"


@dataclass(frozen=True)
class About:
    """What all vectors of a file have in common.

    Attributes:
        model: Name of the checkpoint.
        sha256: Of its weights.
        pooling: How the pieces of a word were joined.
        layers: The layers that are kept, rising.
        hidden_size: Numbers a vector.
        stored: "float32" or "float16".
        format: Of the file.
    """

    model: str
    sha256: str
    pooling: str
    layers: tuple[int, ...]
    hidden_size: int
    stored: str = "float32"
    format: int = FORMAT

    @classmethod
    def of(cls, job: Job) -> "About":
        """What the files of a job say."""
        model = job.model
        name = PurePath(model.name).name  # of a folder: where it lies is nobody's business
        return cls(name, model.sha256, job.pooling, job.layers, model.hidden_size, job.stored)


@dataclass(frozen=True)
class Receipt:
    """What was done for a part; it stands in the part's file.

    Attributes:
        occurrences: Rows of the file.
        left_out: Further occurrences that the model cannot take.
        sentences: Run through the model.
        tokens: Of these sentences, with [CLS] and [SEP], without padding.
        bytes: Of the corpus that were read.
        unreadable: Lines or rows that are no JSON, or hold no text.
        unfit: Values of carried columns that are not of the column's kind.
    """

    occurrences: int = 0
    left_out: int = 0
    sentences: int = 0
    tokens: int = 0
    bytes: int = 0
    unreadable: int = 0
    unfit: int = 0

    def __add__(self, other: "Receipt") -> "Receipt":
        return Receipt(*map(add, astuple(self), astuple(other)))


def schema(about: About, carried: Sequence[Carried], receipt: Receipt) -> "pa.Schema":
    """The columns of a file.

    Args:
        about: What its vectors have in common.
        carried: The columns that are carried along.
        receipt: What was done for the part.
    """
    import pyarrow as pa

    number = pa.float16() if about.stored == "float16" else pa.float32()
    text, position = pa.string(), pa.int32()
    types = dict(zip(COLUMNS, (text, text, position, position, text, pa.int64()), strict=True))
    further = {column.name: pa.type_for_alias(column.kind) for column in carried}
    layers = {f"{LAYER}{layer}": pa.list_(number, about.hidden_size) for layer in about.layers}
    said = {"about": asdict(about), "receipt": asdict(receipt)}
    return pa.schema(types | further | layers, metadata={KEY: json.dumps(said)})


def described(stored: "pa.Schema") -> tuple[About, Receipt]:
    """What a file says of itself.

    Raises:
        KeyError, TypeError, ValueError: It says nothing of this kind.
    """
    said: dict[str, Any] = json.loads((stored.metadata or {})[KEY])
    about = dict(said["about"])
    about["layers"] = tuple(about["layers"])
    return About(**about), Receipt(**said["receipt"])
