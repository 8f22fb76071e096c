"""All that is read of a file."""

from pathlib import Path
from typing import Any

from bertviz_core.corpus.job import Job, Model, Word
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.reading.files import find_corpus
from bertviz_core.corpus.reading.passages import passages, values

MODEL = Model("m", "", 3, 8)
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
