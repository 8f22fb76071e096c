"""The size of the parts of a corpus, and what a job keeps."""

import gzip
from pathlib import Path

import pytest

from bertviz_core.bert import Bert
from bertviz_core.corpus.job import CorpusFile, Job, Word
from bertviz_core.corpus.part_files import Receipt
from bertviz_core.corpus.reading.passages import passages
from bertviz_core.corpus.run import part_bytes_of, plan


@pytest.mark.parametrize(
    ("megabytes", "expected"), [(0, 256_000), (1, 256_000), (64, 1_000_000), (10**5, 8_000_000)]
)
def test_a_corpus_is_cut_by_its_size(megabytes: int, expected: int) -> None:
    size = megabytes * 10**6
    assert part_bytes_of([CorpusFile("a.txt", size, size)]) == expected


def planned(path: Path, text: str, model: Bert) -> Job:
    path.write_bytes(gzip.compress(text.encode(), 1))
    return plan([Word("bank", ("bank",))], [str(path)], model=model.name).job


def test_a_compressed_file_is_cut_and_read_once(minilm: Bert, tmp_path: Path) -> None:
    lines = [f"{number} at the bank" for number in range(300_000)]
    job = planned(tmp_path / "a.txt.gz", "\n".join(lines), minilm)
    assert sum(1 for _ in job.parts()) == 3
    found = (passages(job, part, Receipt()) for part in job.parts())
    assert [one.text.strip() for some in found for one in some] == lines
