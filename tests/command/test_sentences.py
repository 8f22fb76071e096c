"""What any command does with what it cannot read or write: one sentence, and no traceback."""

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bertviz_core import disk_cache
from bertviz_core.corpus.part_files import begin
from bertviz_core.corpus.reading.files import find_corpus
from bertviz_core.errors import UserInputError
from tests.command.conftest import Run
from tests.corpus.made import JOB, Row, write_parts

ROWS = [Row("bank", [n, 1, 0, 0], year=1900 + n, sentence=f"The bank {n}.", start=4, end=8)
        for n in range(8)]  # fmt: skip


@pytest.fixture
def found(tmp_path: Path) -> Path:
    """A folder of occurrences."""
    (tmp_path / "found").mkdir()
    return write_parts(tmp_path / "found", ROWS, ROWS)


@pytest.fixture
def refused(command: Run) -> Callable[..., str]:
    """Runs a command that has to fail; the one line that it says."""

    def run(*given: object) -> str:
        code, _, errors = command(*given)
        assert code in (1, 2)
        said, *rest = errors.splitlines()
        assert not [line for line in rest if "--help says what it takes" not in line]
        return said

    return run


def readers(folder: object, scratch: Path) -> list[list[object]]:
    """All commands that read a folder."""
    return [
        ["nearest", "a [bank]", "--in", folder],
        ["shift", "bank", "--in", folder, "--by", "year<1904"],
        ["export", folder, "--word", "bank", "--by", "year", "--out", scratch / "x.npz"],
    ]


@pytest.mark.parametrize("path", ["", "  ", "zip://a.npz", "data:a.npz", "s3://b/a.npz", "a\udce9"])
def test_a_path_that_is_none_of_this_machine(
    path: str, found: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    (tmp_path / "a.txt").write_text("a bank\n")
    out = ["occurrences", "bank", "--corpus", tmp_path / "a.txt", "--out", path]
    for given in (
        *readers(path, tmp_path),
        out,
        ["export", found, "--word", "bank", "--out", path],
    ):
        assert "is empty, an address or not UTF-8" in refused(*given)
    named = ["occurrences", "bank", "--out", tmp_path / "out"]
    assert refused(*named, "--corpus", path)
    assert refused(*named, "--corpus", tmp_path / "a.txt", "--model", path)
    assert not (tmp_path / "out").exists()


def test_a_full_disk_leaves_the_file_that_was_there(
    found: Path, tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "x.npz"
    out.write_bytes(b"before")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(disk_cache.os, "replace", full)
    said = refused("export", found, "--word", "bank", "--out", out)
    assert "No space left on device); what was there is as it was." in said
    assert (out.read_bytes(), sorted(tmp_path.iterdir())) == (b"before", [found, out])


def process(*given: object, **how: Any) -> subprocess.CompletedProcess[bytes]:
    line = [sys.executable, "-m", "bertviz_core.command.main", *map(str, given)]
    return subprocess.run(line, stderr=subprocess.PIPE, check=False, **how)


def test_output_that_is_not_utf8_or_cannot_be_written(found: Path) -> None:
    given = ("shift", "bank", "--in", found, "--by", "year<1904")
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = process(*given, stdout=subprocess.PIPE, env=ascii_only)
    assert (done.returncode, done.stdout[:6], done.stderr) == (0, b"?bank?", b"")
    with Path("/dev/full").open("wb") as full:
        done = process(*given, stdout=full)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"No space left on device" in done.stderr


@contextmanager
def nobody() -> Iterator[None]:
    """Without the rights of root, which tests may have."""
    if os.getuid():
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="no rights of this kind")
def test_a_folder_without_permission() -> None:
    with tempfile.TemporaryDirectory() as folder:  # others may look into it, not into `tmp_path`
        corpus, closed = Path(folder), Path(folder, "closed")
        corpus.chmod(0o755)
        closed.mkdir()
        for name in ("a.txt", "closed/b.txt"):
            (corpus / name).write_text("a bank\n")
        assert len(find_corpus([folder])) == 2  # and imports what another user perhaps may not
        closed.chmod(0)
        with nobody():
            for path in (corpus, closed, closed / "b.txt"):
                with pytest.raises(UserInputError, match=r"cannot be read \(Permission denied"):
                    find_corpus([str(path)])
            with pytest.raises(UserInputError, match="Permission denied"):
                begin(closed / "out", JOB).__enter__()
        closed.chmod(0o700)
