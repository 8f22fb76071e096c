"""The corpus of most tests, and a job over it."""

from pathlib import Path

import pytest

from bertviz_core.bert import Bert
from bertviz_core.corpus.job import Job
from tests.corpus.small_job import LINES, tiny_job


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


@pytest.fixture
def job(tiny: Bert, text: Path) -> Job:
    return tiny_job(tiny, [text])
