"""The script that attacks a server by uploads: what it sends, and whom."""

import io
import os
import subprocess
import sys

import pytest

from benchmarks import hostile_uploads
from bertviz_core.errors import UserInputError
from bertviz_core.vector_files import opened as bounds
from bertviz_core.vector_files import read
from tests.fuzz import answers


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (hostile_uploads.parquet_bomb(), "Parquet files cannot be opened"),
        (hostile_uploads.npz_bomb(10_000, 10), "361 MB have to be unpacked"),
        (hostile_uploads.npz_bomb(1_000, 50_000), "200 MB of it one array of text"),
    ],
    ids=["parquet", "npz", "npz of text"],
)
def test_what_becomes_large_is_refused_at_once(content: bytes, said: str) -> None:
    assert len(content) < 400_000
    with answers(seconds=0.5, megabytes=10), pytest.raises(UserInputError, match=said):
        read(io.BytesIO(content), None, 2_000)


def test_what_is_as_large_as_can_be_is_opened() -> None:
    with answers(megabytes=160):
        opened = read(io.BytesIO(hostile_uploads.npz_bomb(1_680, 500)), None, 2_000)
    assert 0.9 * bounds.MOST_BYTES < opened.found.vectors.nbytes < bounds.MOST_BYTES
    cells = hostile_uploads.table_of_cells()
    assert 0.99 * hostile_uploads.LARGEST < len(cells) <= hostile_uploads.LARGEST
    with answers(seconds=10, megabytes=100):
        assert read(io.BytesIO(cells), None, 2_000).found.vectors.shape == (2_000, 1, 1_536)
    assert read(io.BytesIO(hostile_uploads.HONEST), None, 2_000).total == 150


def test_only_a_server_of_this_machine_is_attacked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        hostile_uploads.main(["--url", "http://example.org", "--pid", "1"])
    assert "on this machine" in capsys.readouterr().err


def test_memory_is_that_of_a_process_and_its_children() -> None:
    program = "import sys; kept = b'x' * 50_000_000; print(flush=True); sys.stdin.read()"
    before = hostile_uploads.memory_of(os.getpid())
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout
        child.stdout.readline()
        assert hostile_uploads.memory_of(os.getpid()) > before + 45
        child.communicate()
    assert hostile_uploads.memory_of(os.getpid()) < before + 30
