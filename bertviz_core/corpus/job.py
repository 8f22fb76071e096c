"""What a job over a corpus is asked to do, and the parts it is cut into."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import PurePath
from typing import Any, Literal

from bertviz_core.encoder import Pooling
from bertviz_core.encoder.devices import Dtype

Split = Literal["lines", "sentences"]
Stored = Literal["float32", "float16"]
Kind = Literal["string", "int64", "double", "bool"]
PART_BYTES = 64_000_000  # of the corpus a part; a file that is compressed is one part
CODECS = {".gz": "gzip", ".zst": "zstd"}  # how pyarrow calls the compression of a file


@dataclass(frozen=True)
class Word:
    """A word, or a lemma with its forms."""

    name: str  # what its occurrences are filed under: "go"
    forms: tuple[str, ...]  # what is looked for: "go", "goes"; see `senses.occurrences.WordFinder`


@dataclass(frozen=True)
class Carried:
    """A column of the corpus that is carried along with each occurrence."""

    name: str  # "year"
    kind: Kind  # its type in Arrow, the same in all parts; a value that does not fit is left empty


@dataclass(frozen=True)
class CorpusFile:
    """One file of a corpus."""

    path: str  # as it is opened: a path of this machine, or a URI that pyarrow or fsspec opens
    size: int  # bytes
    # how many rows each row group of a Parquet file has; empty for other formats
    row_groups: tuple[int, ...] = ()


@dataclass(frozen=True)
class Part:
    """A piece of work."""

    number: int  # from 0, over all files of the corpus
    file: CorpusFile  # what is read of
    start: int  # first byte, or number of the row group of a Parquet file
    end: int  # one past the last

    @property
    def name(self) -> str:
        """Of the file it is written to."""
        return f"part-{self.number:06d}.parquet"

    def __str__(self) -> str:
        unit = "row groups" if self.file.row_groups else "bytes"
        return f"{self.name} ({self.file.path}, {unit} {self.start:,} to {self.end:,})"


@dataclass(frozen=True)
class Model:
    """Which model a job runs."""

    name: str  # in the list of models, or a folder
    sha256: str  # of its weights file
    revision: str | None  # of its hub repository, where it is pinned
    layers: int  # num_hidden_layers + 1
    hidden_size: int  # numbers a vector

    @property
    def title(self) -> str:
        """Its name; of a folder, where it lies is nobody's business."""
        return PurePath(self.name).name


@dataclass(frozen=True)
class Job:
    """Everything that decides what is written: equal jobs write equal files."""

    words: tuple[Word, ...]  # what is looked for
    model: Model  # the model
    files: tuple[CorpusFile, ...]  # the corpus, in the order of its parts
    layers: tuple[int, ...]  # which layers are kept, rising; 0 is the input embedding
    pooling: Pooling = "mean"  # how the pieces of a word become one vector
    dtype: Dtype = "float32"  # numbers the model computes in
    stored: Stored = "float32"  # numbers of the vectors in the files
    split: Split = "lines"  # whether a line is a sentence, or paragraphs are split into sentences
    text: str = "text"  # name of the text in JSON lines and Parquet
    carried: tuple[Carried, ...] = ()  # further columns of them: year, author
    part_bytes: int = PART_BYTES  # of the corpus a part, at most, but for a line that goes on

    def to_json(self) -> dict[str, Any]:
        """The job as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Job":
        """The job of `to_json`."""
        given = {field.name: values[field.name] for field in fields(cls)}
        given["words"] = tuple(Word(w["name"], tuple(w["forms"])) for w in given["words"])
        given["model"] = Model(**given["model"])
        given["files"] = tuple(
            CorpusFile(f["path"], f["size"], tuple(f["row_groups"])) for f in given["files"]
        )
        given["carried"] = tuple(Carried(**column) for column in given["carried"])
        given["layers"] = tuple(given["layers"])
        return cls(**given)

    def parts(self) -> Iterator[Part]:
        """Cut the corpus: byte ranges of text and JSON lines, row groups of Parquet."""
        cuts = ((file, *ends) for file in self.files for ends in pairwise(self._edges(file)))
        return (Part(number, *cut) for number, cut in enumerate(cuts))

    def _edges(self, file: CorpusFile) -> Sequence[int]:
        if file.row_groups:
            return range(len(file.row_groups) + 1)
        if PurePath(file.path).suffix.lower() in CODECS:  # cannot be entered half-way
            return 0, file.size
        return *range(0, max(file.size, 1), self.part_bytes), file.size
