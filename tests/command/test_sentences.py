"""What any command does with what it cannot read or write: one sentence, and no traceback."""

import errno
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bertviz_core import disk_cache
from bertviz_core.command.main import main
from bertviz_core.corpus.part_files import KEY, MANIFEST, begin
from bertviz_core.corpus.reading.files import find_corpus
from bertviz_core.corpus.store import Occurrences
from bertviz_core.errors import UserInputError
from tests.corpus.made import JOB, Row, write_parts

ROWS = [Row("bank", [n, 1, 0, 0], year=1900 + n, sentence=f"The bank {n}.", start=4, end=8)
        for n in range(8)]  # fmt: skip
PART = "part-000000.parquet"


@pytest.fixture
def found(tmp_path: Path) -> Path:
    """A folder of occurrences."""
    (tmp_path / "found").mkdir()
    return write_parts(tmp_path / "found", ROWS, ROWS)


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command that has to fail; the one line that it says."""

    def run(*given: object) -> str:
        try:
            code: object = main([str(one) for one in given])
        except SystemExit as ended:  # a wrong argument
            code = ended.code
        assert code in (1, 2)
        said, *rest = capsys.readouterr().err.splitlines()
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


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "0", "1e-9", "1e300", "x", ""])
def test_megabytes_that_are_none(number: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    given = ("occurrences", "a", "--corpus", tmp_path, "--out", tmp_path / "out")
    assert f"invalid megabytes value: {number!r}" in refused(*given, "--part-mb", number)


def test_columns_that_are_offered_can_be_taken(
    found: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    given = ["export", found, "--word", "bank", "--out", tmp_path / "x.npz", "--by"]
    offered = refused(*given, "layer_2").rpartition("choose ")[2].rstrip(".").split(", ")
    assert "year" in offered
    for column in offered:
        assert main([*map(str, given), column]) == 0


@pytest.mark.parametrize("form", ["npz", "parquet"])
@pytest.mark.parametrize("at", ["write_bytes", "fsync", "replace"])
def test_a_full_disk_leaves_the_file_that_was_there(
    form: str, at: str, found: Path, tmp_path: Path, refused: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    out = tmp_path / f"x.{form}"
    out.write_bytes(b"before")

    def full(path: Path, content: bytes = b"") -> None:
        if at == "write_bytes":
            with path.open("wb") as file:
                file.write(content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path if at == "write_bytes" else disk_cache.os, at, full)
    said = refused("export", found, "--word", "bank", "--out", out)
    assert "No space left on device); what was there is as it was." in said
    assert (out.read_bytes(), sorted(tmp_path.iterdir())) == (b"before", [found, out])
    monkeypatch.undo()
    assert main(["export", str(found), "--word", "bank", "--out", str(out)]) == 0
    assert len(out.read_bytes()) > 500


def command(*given: object, **how: Any) -> subprocess.CompletedProcess[bytes]:
    line = [sys.executable, "-m", "bertviz_core.command.main", *map(str, given)]
    return subprocess.run(line, stderr=subprocess.PIPE, check=False, **how)


def test_output_that_is_not_utf8_or_cannot_be_written(found: Path) -> None:
    given = ("shift", "bank", "--in", found, "--by", "year<1904")
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = command(*given, stdout=subprocess.PIPE, env=ascii_only)
    assert (done.returncode, done.stdout[:6], done.stderr) == (0, b"?bank?", b"")
    with Path("/dev/full").open("wb") as full:
        done = command(*given, stdout=full)
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
def test_a_folder_without_permission(
    found: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:  # others may look into it, not into `tmp_path`
        corpus, closed = Path(folder), Path(folder, "closed")
        corpus.chmod(0o755)
        closed.mkdir()
        for name in ("a.txt", "closed/b.txt"):
            (corpus / name).write_text("a bank\n")
        assert len(find_corpus([folder])) == 2  # and imports what another user perhaps may not
        assert main(list(map(str, readers(found, tmp_path)[2]))) == 0
        for path in (closed, tmp_path):
            path.chmod(0)
        try:
            with nobody():
                for path in (corpus, closed, closed / "b.txt"):
                    with pytest.raises(UserInputError, match=r"cannot be read \(Permission denied"):
                        find_corpus([str(path)])
                for given in (*readers(found, corpus), *readers(tmp_path, corpus)):
                    assert "Permission denied" in refused(*given)
                with pytest.raises(UserInputError, match="Permission denied"):
                    begin(closed / "out", JOB).__enter__()
        finally:
            for path in (closed, tmp_path):
                path.chmod(0o700)


JSON: list[Any] = [None, True, -1, 0, 7, 1.5, 2**40, 10**30, "", "\ud800", [], {}, [None], {"a": 1}]


def changed(values: Any) -> Iterator[Any]:
    """The values with each of their fields in turn of every type, and missing."""
    inside = [values]
    for one in inside:
        for key in list(one if isinstance(one, dict) else range(len(one))):
            before = one[key]
            inside += [before] if isinstance(before, dict | list) else []
            for other in JSON:
                one[key] = other
                yield values
            del one[key]
            yield values
            one.insert(key, before) if isinstance(one, list) else one.update({key: before})


def test_a_manifest_of_any_types(
    found: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, given = found / MANIFEST, list(map(str, readers(found, tmp_path)[2]))
    whole, count = path.read_text(), 0
    for values in changed(json.loads(whole)):
        path.write_text(json.dumps(values))
        code, said = main(given), capsys.readouterr().err
        assert (code, said.count("\n")) in ((0, 0), (0, 1), (1, 1), (1, 2)), values
        with suppress(UserInputError), begin(found, JOB):
            pass
        count += 1
    assert count > 400
    path.write_text(whole)
    assert main(given) == 0


def test_a_part_with_anything_in_it(
    found: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    """A receipt of other types is none, and what every occurrence has is missing from none."""
    table, path = pq.read_table(found / PART), found / PART
    said = pq.read_metadata(path).metadata[KEY]
    for values in changed(json.loads(said)):
        pq.write_table(table.replace_schema_metadata({KEY: json.dumps(values)}), path)
        assert Occurrences.open(found).parts_missing in (0, 1)
    for number, name in enumerate(table.column_names):
        field = table.schema.field(name)
        empty = table.set_column(number, field, pa.nulls(len(table), field.type))
        pq.write_table(empty.replace_schema_metadata({KEY: said}), path)
        carried = name in ("year", "author")
        for given in readers(found, tmp_path)[1:] if not carried else ():
            assert refused(*given)
