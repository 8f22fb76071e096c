"""A job killed, broken or begun twice ends with the same files, or says why not."""

import gzip
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bertviz_core.bert import Bert
from bertviz_core.corpus.job import Job, Part
from bertviz_core.corpus.manifest import read
from bertviz_core.corpus.run import TRIES, Summary, in_process, run
from bertviz_core.corpus.schema import Receipt
from bertviz_core.corpus.work import Failure, Heard, Worker
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from tests.corpus.small_job import content, rows, tiny_job
from tests.headless import ROOT
from tests.waiting import wait_for


def done(job: Job, folder: Path, encoder: Encoder, **how: Any) -> Summary:
    folder.mkdir(exist_ok=True)
    return run(job, folder, runner=in_process(Worker(job, folder, encoder)), **how)


def test_a_run_from_end_to_end(tiny_encoder: Encoder, job: Job, tmp_path: Path) -> None:
    heard: list[Summary] = []
    summary = done(job, tmp_path / "out", tiny_encoder, progress=heard.append)
    parts = list(job.parts())
    assert (summary.parts, summary.set_aside) == (len(parts), ())
    assert summary.total.occurrences == len(rows(tmp_path / "out")) == 60
    assert summary.total.tokens == summary.tokens > 300
    assert heard[0].done == heard[0].total.bytes == 0
    assert (heard[-1].done, heard[-1].total.bytes) == (len(parts), job.files[0].size)
    assert [h.total.bytes for h in heard] == sorted(h.total.bytes for h in heard)
    # Again: nothing is left to do, and nothing is done.
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    again = done(job, tmp_path / "out", tiny_encoder)
    assert (again.tokens, again.total) == (0, summary.total)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()} == before


def test_killed_by_the_system_it_goes_on(
    tiny_encoder: Encoder, tiny_folder: Path, tmp_path: Path
) -> None:
    """A real process, ended without warning in the middle of a part."""
    text = tmp_path / "corpus.txt"
    text.write_text("\n".join(f"the cat sat on {'a ' * (i % 9)} mat" for i in range(20_000)))
    out, whole = tmp_path / "out", tmp_path / "whole"
    command = [
        *(sys.executable, "-m", "bertviz_core.command.main", "occurrences", "cat"),
        *("--corpus", str(text), "--out", str(out), "--model", str(tiny_folder)),
        *("--part-mb", "0.01", "--layers", "0,-1"),
    ]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: bool(content(out)))
        time.sleep(random.random() / 20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL  # it was still at work
    before = {name: (out / name).stat().st_mtime_ns for name in content(out)}
    job = read(out)
    assert 0 < len(before) < sum(1 for _ in job.parts())
    assert done(job, out, tiny_encoder).total.occurrences == 20_000
    assert {name: (out / name).stat().st_mtime_ns for name in before} == before
    assert not list(out.glob("*.unfinished"))
    done(job, whole, tiny_encoder)
    assert content(out) == content(whole)


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
    assert log[-1].startswith(f"part-000002.parquet ({packed}, bytes 0 to ")
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

    def flaky(parts: Sequence[Part], heard: Heard) -> Iterator[tuple[Part, Receipt | Failure]]:
        asked.append([part.number for part in parts])
        for part in parts:
            if len(asked) == 1 and part.number in (1, 3):
                yield part, Failure("the network is down")
            else:
                yield from work([part], heard)

    log: list[str] = []
    summary = run(job, tmp_path, runner=flaky, log=log.append)
    assert (summary.set_aside, len(log), asked[1:]) == ((), 2, [[1, 3]])


def test_a_full_disk_ends_the_run(tiny_encoder: Encoder, job: Job, tmp_path: Path) -> None:
    asked: list[Part] = []

    def full(parts: Sequence[Part], heard: Heard) -> Iterator[tuple[Part, Receipt | Failure]]:
        for part in parts:
            asked.append(part)
            yield part, Failure("No space left on device", ends_run=True)

    with pytest.raises(UserInputError, match="No space left"):
        run(job, tmp_path, runner=full)
    assert len(asked) == 1
    assert not done(job, tmp_path, tiny_encoder).set_aside  # the folder is free again
