"""A corpus is cut by the work that is expected."""

import gzip
from pathlib import Path

import pytest

from bertviz_core.bert import Bert
from bertviz_core.corpus.job import Job, Word
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.plan import MIN_PART_BYTES, plan
from bertviz_core.corpus.reading.passages import passages

LINE = "We sat on the bank of the river, and nobody spoke a word for an hour.\n"
OTHER = LINE.replace("bank", "back")
A_MINUTE = 60 * 2_300  # tokens of the embedded model on a core; on the measured ones 3,250
A_TOKEN = len(LINE) / 18


def planned(path: Path, text: str, model: Bert) -> Job:
    path.write_bytes(gzip.compress(text.encode(), 1) if path.suffix == ".gz" else text.encode())
    return plan([Word("bank", ("bank",))], [str(path)], model=model.name).job


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_no_part_takes_above_a_minute(minilm: Bert, tmp_path: Path, name: str) -> None:
    for text in (LINE * 40_000, OTHER * 100_000 + LINE * 40_000):
        job = planned(tmp_path / name, text, minilm)
        parts = list(job.parts())
        assert len(parts) >= min(64, len(text) // MIN_PART_BYTES)
        assert sum(part.size for part in parts) == job.files[0].size
        tokens = max(part.end - part.start for part in parts) / A_TOKEN
        assert tokens < A_MINUTE


def test_a_compressed_file_is_cut_and_read_once(minilm: Bert, tmp_path: Path) -> None:
    lines = [f"{number} at the bank" for number in range(300_000)]
    job = planned(tmp_path / "a.txt.gz", "\n".join(lines), minilm)
    assert sum(1 for _ in job.parts()) > 10
    found = (passages(job, part, Receipt()) for part in job.parts())
    assert [one.text.strip() for some in found for one in some] == lines
