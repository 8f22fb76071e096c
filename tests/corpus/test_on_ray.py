"""The runner on Ray: the same files, and what happens when processes die; skipped without Ray."""

import importlib.util
import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bertviz_core.bert import load_bert
from bertviz_core.corpus import on_ray as module
from bertviz_core.corpus import run as running
from bertviz_core.corpus.job import Job, Part, Word
from bertviz_core.corpus.on_ray import make_part, on_ray
from bertviz_core.corpus.part_files import Receipt, begin
from bertviz_core.corpus.run import Runner, in_process, plan, run
from bertviz_core.corpus.work import Outcome, Worker
from bertviz_core.errors import UserInputError
from tests.corpus.small_job import content
from tests.tiny import SENTENCES

if TYPE_CHECKING:
    from bertviz_core.encoder import Encoder

ROOT = Path(__file__).parents[2]
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="no Ray")
Outcomes = dict[int, Outcome]


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A Ray of this machine as `--ray local` starts it, with two cores, whatever it has."""
    import ray

    with pytest.MonkeyPatch.context() as patch:
        # Classes of this file are looked for where the workers start.
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setattr(ray, "init", partial(ray.init, num_cpus=2))
        with module._connected(module.LOCAL):
            yield ray.get_runtime_context().gcs_address


@pytest.fixture(scope="module")
def job(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """Twelve parts of two files, with about 250 occurrences each, and one of a third file."""
    folder = tmp_path_factory.mktemp("corpus")
    for number, name in enumerate(("a.txt", "b.txt")):
        lines = [SENTENCES[(i * i + number) % len(SENTENCES)] for i in range(2_000)]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    (folder / "c.txt").write_text("a cat", encoding="utf-8")
    words = (Word("cat", ("cat",)), Word("python", ("python",)), Word("sat", ("sat",)))
    size = (folder / "a.txt").stat().st_size
    return plan(words, [str(folder)], load_bert(tiny_folder), part_bytes=size // 6 + 1)


@pytest.fixture(scope="module")
def expected(
    job: Job, tiny_encoder: "Encoder", tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, bytes], Outcomes]:
    """The files and the receipts of a run in this process."""
    folder = tmp_path_factory.mktemp("in-process")
    with begin(folder, job):
        receipts = outcomes(job, in_process(Worker(job, folder, tiny_encoder, threads=2)))
    assert len(receipts) == 13
    assert sum(one.receipt.occurrences for one in receipts.values() if one.receipt) > 2_000
    return content(folder), receipts


def outcomes(job: Job, runner: Runner) -> Outcomes:
    return {part.number: done for part, done in runner(list(job.parts()))}


def dying_make_part(job: Job, folder: Path, part: Part) -> Outcome:
    """Its process is killed at part 1 once, at part 3 each time, before they are written."""
    with (folder / f"tried-{part.number}").open("a") as tries:
        tries.write("x")
    if part.number == 3 or (part.number == 1 and (folder / "tried-1").stat().st_size == 1):
        os.kill(os.getpid(), signal.SIGKILL)
    return make_part(job, folder, part)


@needs_ray
@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere", "127.0.0.1:port"])
def test_a_ray_that_does_not_answer(job: Job, tmp_path: Path, address: str) -> None:
    began = time.monotonic()
    with pytest.raises(
        UserInputError, match=f"Ray at {address} cannot be reached: .*RAY_AUTH_MODE"
    ):
        next(on_ray(job, tmp_path, address=address)(list(job.parts())))
    assert time.monotonic() - began < 15


@needs_ray
@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
def test_the_same_files_as_in_process_but_where_a_part_fails(
    job: Job, expected: tuple[dict[str, bytes], Outcomes], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Processes die of one part, and another part cannot be read."""
    monkeypatch.setattr(module, "make_part", dying_make_part)
    monkeypatch.setattr(module, "RETRIES", 1)  # to start a process takes seconds
    unreadable = Path(job.files[2].path)
    text = unreadable.read_bytes()
    unreadable.unlink()
    monkeypatch.setattr(running, "TRIES", 2)
    try:
        summary = run(job, tmp_path, runner=on_ray(job, tmp_path))
    finally:
        unreadable.write_bytes(text)
    files, receipts = expected
    reasons = {part.number: reason for part, reason in summary.set_aside}
    assert reasons.pop(3) == "2 processes died of it, perhaps for want of memory"
    assert "c.txt" in reasons.pop(12)
    assert not reasons
    wanted = (one.receipt for number, one in receipts.items() if number not in (3, 12))
    assert summary.total == sum(filter(None, wanted), Receipt())
    failed = ("part-000003.parquet", "part-000012.parquet")
    assert content(tmp_path) == {name: files[name] for name in files if name not in failed}
    assert not list(tmp_path.glob("*.unfinished"))
