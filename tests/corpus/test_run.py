"""A job killed, broken or begun twice ends with the same files, or says why not."""

import gzip
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bertviz_core.bert import Bert
from bertviz_core.corpus.job import Job, Part, Word
from bertviz_core.corpus.run import TRIES, Summary, in_process, run
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.work import Outcome, Worker
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from tests.corpus.small_job import LINES, content, rows, tiny_job
from tests.headless import ROOT


def done(job: Job, folder: Path, encoder: Encoder, **how: Any) -> Summary:
    folder.mkdir(exist_ok=True)
    return run(job, folder, runner=in_process(Worker(job, folder, encoder)), **how)


def written(folder: Path) -> dict[str, int]:
    """When each part was written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("parts/*")}


def assert_only_parts(folder: Path) -> None:
    """Other programs open it as one table, also while a run is at work and after one was killed."""
    names = [path.name for path in (folder / "parts").iterdir()]
    assert all(re.fullmatch(r"part-\d{6}\.parquet", name) for name in names), names
    for name in names:
        pq.ParquetFile(folder / "parts" / name).close()  # and each is whole


def test_nothing_but_whole_parts_while_one_is_written(
    job: Job, tmp_path: Path, tiny_encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked at whenever rows are written, and when a file takes its name."""
    seen: list[str] = []

    def looking(before: Callable[..., Any]) -> Callable[..., Any]:
        def looked(*given: Any, **how: Any) -> Any:
            assert_only_parts(tmp_path / "out")
            seen.extend(path.name for path in (tmp_path / "out").glob("*.unfinished"))
            return before(*given, **how)

        return looked

    for owner, name in ((pq.ParquetWriter, "write_table"), (os, "fsync"), (os, "replace")):
        monkeypatch.setattr(owner, name, looking(getattr(owner, name)))
    assert done(job, tmp_path / "out", tiny_encoder).total.occurrences == 60
    assert len(set(seen)) >= len(list(job.parts()))
    assert sorted(os.listdir(tmp_path / "out")) == ["manifest.json", "parts", "running.lock"]


def test_killed_by_the_system_it_goes_on(
    tiny_encoder: Encoder, tiny_folder: Path, tmp_path: Path
) -> None:
    """A real process, ended without warning at random; at most a part is lost."""
    text = tmp_path / "corpus.txt"
    text.write_text("\n".join(f"the cat sat on {'a ' * (i % 9)} mat" for i in range(20_000)))
    out, whole = tmp_path / "out", tmp_path / "whole"
    command = [
        *(sys.executable, "-m", "bertviz_core.command.main", "occurrences", "cat"),
        *("--corpus", str(text), "--out", str(out), "--model", str(tiny_folder)),
        *("--part-mb", "0.01", "--layers", "0,-1"),
    ]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
    assert process.stderr is not None
    while not written(out) and process.poll() is None:
        process.stderr.read1(1_000)  # the bar moves with each part
    for _ in range(random.randrange(5)):
        process.stderr.read1(100)
        assert_only_parts(out)
    process.kill()
    process.wait()
    process.stderr.close()
    assert process.returncode == -signal.SIGKILL  # it was still at work
    assert_only_parts(out)
    there, job = written(out), Occurrences.open(out).job
    assert 0 < len(there) < sum(1 for _ in job.parts())
    assert done(job, out, tiny_encoder).total.occurrences == 20_000
    assert there.items() <= written(out).items()  # what was done stays
    assert not list(out.glob("*.unfinished"))
    done(job, whole, tiny_encoder)
    assert content(out) == content(whole)


def damaged(_: Path, path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1  # a single bit of a page
    path.write_bytes(data)


def foreign(other: Path, path: Path) -> None:
    shutil.copy(other / "parts" / path.name, path)


@pytest.mark.parametrize("spoil", [damaged, foreign])
def test_a_spoiled_part_is_made_anew(
    tiny_encoder: Encoder, job: Job, tmp_path: Path, spoil: Callable[[Path, Path], None]
) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    done(job, out, tiny_encoder)
    # Of another job: the same model and layers, other words.
    done(replace(job, words=(Word("dog", ("dog",)),)), other, tiny_encoder)
    whole, before = content(out), written(out)
    spoil(other, out / "parts/part-000003.parquet")
    log: list[str] = []
    assert done(job, out, tiny_encoder, log=log.append).total.occurrences == 60
    assert content(out) == whole
    assert len(log) == 1
    assert log[0].startswith("part-000003.parquet ")
    changed = {name for name, when in written(out).items() if when != before[name]}
    assert changed == {"part-000003.parquet"}


@pytest.mark.parametrize("name", ["a.txt", "a.parquet"])
def test_a_corpus_that_changes_at_equal_size(
    tiny: Bert, tiny_encoder: Encoder, tmp_path: Path, name: str
) -> None:
    """Any byte that a part has read: its row is made anew, none of the old text stays."""

    def write(lines: Sequence[str]) -> Path:
        path, table = tmp_path / name, pa.table({"text": list(lines)})
        if name == "a.txt":
            path.write_text("\n".join(lines))
        else:
            own = {"compression": "none", "use_dictionary": False, "write_statistics": False}
            pq.write_table(table, path, **own)
        return path

    out = tmp_path / "out"
    job = tiny_job(tiny, [write(LINES)])
    done(job, out, tiny_encoder)
    before = written(out)
    for number in (0, 40, 89):
        lines = list(LINES)
        lines[number] = lines[number].replace("mat", "cat")
        log: list[str] = []
        assert tiny_job(tiny, [write(lines)]) == job  # the same size
        assert done(job, out, tiny_encoder, log=log.append).total.occurrences == 61
        assert 1 <= len(log) <= (len(before) if name == "a.parquet" else 2)
        assert sum(row["sentence"] == lines[number].strip() for row in rows(out)) > 0
        assert {row["sentence"] for row in rows(out)} <= {line.strip() for line in lines}
    assert written(out).keys() == before.keys()


def test_a_part_with_a_broken_file_is_set_aside(
    tiny: Bert, tiny_encoder: Encoder, text: Path, tmp_path: Path
) -> None:
    broken, packed = tmp_path / "broken.parquet", tmp_path / "cut.txt.gz"
    pq.write_table(pa.table({"text": ["a cat"] * 5_000}), broken, compression="none")
    data = bytearray(broken.read_bytes())
    data[40:200] = bytes(160)  # the pages; what stands at the end is right
    broken.write_bytes(data)
    packed.write_bytes(gzip.compress(os.urandom(10_000).hex().encode())[:-300])
    job = tiny_job(tiny, [text, broken, packed], part_bytes=10**6)
    log: list[str] = []
    summary = done(job, tmp_path / "out", tiny_encoder, log=log.append)
    assert [part.file.path for part, _ in summary.set_aside] == [str(broken), str(packed)]
    assert "Truncated" in summary.set_aside[1][1]
    assert len(log) == 2 * TRIES
    assert log[-1].startswith(f"part-000002.parquet ({packed}, 0 to ")
    assert [("tried again later" in line, "set aside" in line) for line in log[::2]] == [
        (True, False), (True, False), (False, True),
    ]  # fmt: skip
    assert summary.total.occurrences == 60
    assert list(content(tmp_path / "out")) == ["part-000000.parquet"]


def test_a_part_that_fails_once_is_done_the_next_time(
    tiny_encoder: Encoder, job: Job, tmp_path: Path
) -> None:
    work = in_process(Worker(job, tmp_path, tiny_encoder))
    asked: list[list[int]] = []

    def flaky(parts: Sequence[Part]) -> Iterator[tuple[Part, Outcome]]:
        asked.append([part.number for part in parts])
        for part in parts:
            if len(asked) == 1 and part.number in (1, 3):
                yield part, Outcome(reason="the network is down")
            else:
                yield from work([part])

    log: list[str] = []
    summary = run(job, tmp_path, runner=flaky, log=log.append)
    assert (summary.set_aside, len(log), asked[1:]) == ((), 2, [[1, 3]])
    assert run(job, tmp_path, runner=work).tokens == 0 < summary.tokens, "nothing is left to do"


def test_ctrl_c_gives_up_what_is_under_way(tiny_encoder: Encoder, job: Job, tmp_path: Path) -> None:
    many = replace(job, part_bytes=50)
    worker = Worker(many, tmp_path, tiny_encoder)

    def stop(_: Summary) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(many, tmp_path, runner=in_process(worker), progress=stop)
    assert worker.stopped
    assert 0 < len(content(tmp_path)) < sum(1 for _ in many.parts())
    assert run(many, tmp_path, runner=in_process(worker)).total.occurrences == 60


def test_a_full_disk_ends_the_run(tiny_encoder: Encoder, job: Job, tmp_path: Path) -> None:
    asked: list[Part] = []

    def full(parts: Sequence[Part]) -> Iterator[tuple[Part, Outcome]]:
        for part in parts:
            asked.append(part)
            yield part, Outcome(reason="No space left on device", ends_run=True)

    with pytest.raises(UserInputError, match="No space left"):
        run(job, tmp_path, runner=full)
    assert len(asked) == 1
    assert not done(job, tmp_path, tiny_encoder).set_aside  # the folder is free again
