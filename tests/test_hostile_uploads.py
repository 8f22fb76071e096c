"""The script that attacks a server by uploads: what it sends, and whom."""

import io

import pytest

from benchmarks import hostile_uploads
from bertviz_core.vector_files import opened as bounds
from bertviz_core.vector_files import read
from tests.fuzz import answers


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
