"""A job of the tiny model over a few lines, and all that is read of a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bertviz_core.bert import Bert
from bertviz_core.corpus.job import PARTS, Job, Model, Word
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.reading.files import find_corpus
from bertviz_core.corpus.reading.passages import passages, values
from bertviz_core.corpus.reading.words import read_words

LINES = [f"the {'cat' if i % 3 else 'dog'} sat on a mat {'.' * (i % 7)}" for i in range(90)]


def tiny_job(bert: Bert, paths: Sequence[Path], words: Sequence[str] = ("cat",), **how: Any) -> Job:
    """A job without columns; `how` changes any of its other settings."""
    model = Model(
        str(bert.checkpoint.folder), bert.checkpoint.weights_hash(), bert.tokenizer_hash, 3, 8
    )
    settings: dict[str, Any] = {"layers": (0, 2), "part_bytes": 500} | how
    return Job(read_words(words), model, find_corpus(list(map(str, paths))), **settings)


def content(folder: Path) -> dict[str, bytes]:
    """The bytes of all parts in a folder, by name."""
    return {path.name: path.read_bytes() for path in sorted((folder / PARTS).iterdir())}


def rows(folder: Path) -> list[dict[str, Any]]:
    """All rows of all parts."""
    import pyarrow.parquet as pq

    return [
        row
        for path in sorted((folder / PARTS).iterdir())
        for row in pq.read_table(path).to_pylist()
    ]


MODEL = Model("m", "", "", 3, 8)
Read = list[tuple[str, int, tuple[Any, ...]]]


def read(path: Path, tally: Receipt | None = None, **how: Any) -> Read:
    """All passages of all parts: text, offset, carried values."""
    job = Job((Word("x", ("x",)),), MODEL, find_corpus([str(path)]), (0,), **how)
    tally = tally or Receipt()
    return [
        (p.text, p.offset, values(job, p.row, tally))
        for part in job.parts()
        for p in passages(job, part, tally)
    ]


def texts(found: Read) -> list[str]:
    return [text.strip() for text, _, _ in found]
