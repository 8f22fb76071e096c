"""A job over a corpus as plain values, and the parts it is cut into."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, is_dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any, Literal, get_args, get_origin, get_type_hints

from bertviz_core.contextual.word_vectors import Pooling
from bertviz_core.errors import UserInputError, expect

Kind = Literal["string", "int64", "double", "bool"]
MAX_PARTS = 1_000_000
PARTS = "parts"  # of a folder; other programs open it as one table: nothing else is ever in it


@dataclass(frozen=True)
class Word:
    """A word, or a lemma with its forms."""

    name: str  # what its occurrences are filed under: "go"
    forms: tuple[str, ...]  # what is looked for: "go", "goes"; see `senses.occurrences.WordFinder`


@dataclass(frozen=True)
class Carried:
    """A column of the corpus that is written beside each occurrence."""

    name: str  # "year"
    kind: Kind  # its type in Arrow, the same in all parts; a value that does not fit is left empty


@dataclass(frozen=True)
class CorpusFile:
    """One file of a corpus."""

    path: str  # as it is opened: a path of this machine, or an address that fsspec opens
    size: int  # bytes
    # what parts are cut by: bytes, or rows of a table; of a compressed file a guess of the
    # bytes that it unpacks to
    length: int
    quote: str = '"'  # what cells of a table may stand in; "" where a quote is a sign in a text


@dataclass(frozen=True)
class Part:
    """A piece of work."""

    number: int  # from 0, over all files of the corpus
    file: CorpusFile  # the file it is read from
    start: int  # first byte or row
    end: int  # one past the last; the last part of a file goes on to its end

    @property
    def name(self) -> str:
        """Name of the Parquet file with its occurrences."""
        return f"part-{self.number:06d}.parquet"

    def path_in(self, folder: Path) -> Path:
        return folder / PARTS / self.name

    @property
    def size(self) -> int:
        """About how many bytes of the file it is; all parts together are the whole file."""
        size, length = self.file.size, self.file.length
        return size * self.end // length - size * self.start // length if length else size

    def __str__(self) -> str:
        return f"{self.name} ({self.file.path}, {self.start:,} to {self.end:,})"


@dataclass(frozen=True)
class Model:
    """Which model a job runs."""

    name: str  # in the list of models, or a folder
    sha256: str  # of its weights file
    tokenizer: str  # `Bert.tokenizer_hash`: other rules give other ids to the same weights
    layers: int  # num_hidden_layers + 1
    hidden_size: int  # numbers a vector

    @property
    def title(self) -> str:
        """The name without the path of a folder, which others need not see."""
        return PurePath(self.name).name


@dataclass(frozen=True)
class Job:
    """Everything that decides what is written: equal jobs write equal files."""

    words: tuple[Word, ...]  # what is looked for
    model: Model  # the model
    files: tuple[CorpusFile, ...]  # the corpus, in the order of its parts
    layers: tuple[int, ...]  # which layers are kept, rising; 0 is the input embedding
    pooling: Pooling = "mean"  # how the pieces of a word become one vector
    text: str = "text"  # name of the text in JSON lines and Parquet
    carried: tuple[Carried, ...] = ()  # further columns of them: year, author
    part_bytes: int = 8_000_000  # at most, of the corpus in one part; its last line is whole

    def __post_init__(self) -> None:
        if (parts := sum(-(-file.size // self.part_bytes) for file in self.files)) > MAX_PARTS:
            raise UserInputError(f"{parts:,} parts are more than {MAX_PARTS:,}; make them larger.")

    @cached_property
    def digest(self) -> str:
        """A hash of the job; jobs with equal ones write equal parts."""
        return blake2b(json.dumps(asdict(self)).encode(), digest_size=16).hexdigest()

    def parts(self) -> Iterator[Part]:
        """Cut each file into parts of about one size."""
        number = 0
        for file in self.files:
            count = max(1, -(-file.size // self.part_bytes))
            edges = sorted({file.length * cut // count for cut in range(count + 1)})
            for start, end in pairwise(edges if file.length else (0, 0)):
                yield Part(number, file, start, end)
                number += 1


def from_plain(kind: Any, value: Any) -> Any:
    """What `asdict` and JSON have made plain; a TypeError, KeyError or ValueError for others."""
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind).items()
        return kind(**{name: from_plain(of, value[name]) for name, of in hints})
    if get_origin(kind) is tuple:
        values = expect(value, list, "a list")
        return tuple(from_plain(get_args(kind)[0], one) for one in values)
    if get_origin(kind) is Literal:
        return get_args(kind)[get_args(kind).index(value)]
    return expect(value, kind, kind.__name__)
