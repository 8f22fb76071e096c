"""The runner on Ray: the same files, and what happens when processes die.

Ray is not asked for by those who test only the rest, so without it these tests are skipped.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bertviz_core.command.main import main
from bertviz_core.corpus import on_ray as module
from bertviz_core.corpus.job import Job, Word
from bertviz_core.corpus.on_ray import PartMaker, on_ray
from bertviz_core.corpus.plan import plan
from bertviz_core.corpus.run import Summary, in_process, run
from bertviz_core.corpus.work import Worker
from bertviz_core.errors import BertvizError, UserInputError
from tests.tiny import SENTENCES

if TYPE_CHECKING:
    from bertviz_core.encoder import Encoder

ROOT = Path(__file__).parents[2]
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="no Ray")


@pytest.fixture(scope="module")
def two_workers() -> Iterator[None]:
    """A Ray of this machine with two cores, whatever it has."""
    import ray

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Classes of this file are looked for where the workers start.
        patch.setenv("PYTHONPATH", str(ROOT))
        ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


@pytest.fixture(scope="module")
def job(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """Twelve parts of two files, with about 250 occurrences each."""
    folder = tmp_path_factory.mktemp("corpus")
    for number, name in enumerate(("a.txt", "b.txt")):
        lines = [SENTENCES[(i * i + number) % len(SENTENCES)] for i in range(2_000)]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    words = (Word("cat", ("cat",)), Word("python", ("python",)), Word("sat", ("sat",)))
    size = (folder / "a.txt").stat().st_size
    return plan(words, [str(folder)], model=str(tiny_folder), part_bytes=size // 6 + 1).job


@pytest.fixture(scope="module")
def expected(
    job: Job, tiny_encoder: "Encoder", tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("in-process")
    summary = run(job, folder, runner=in_process(Worker(job, folder, tiny_encoder, threads=2)))
    assert (summary.parts, summary.set_aside) == (12, ())
    assert summary.total.occurrences > 2_000
    return parts_of(folder)


def parts_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("part-*.parquet"))}


def run_on_ray(job: Job, folder: Path, log: list[str] | None = None) -> Summary:
    return run(job, folder, runner=on_ray(job, folder), log=(log or []).append)


@needs_ray
@pytest.mark.usefixtures("two_workers")
def test_the_same_files_as_in_process(job: Job, expected: dict[str, bytes], tmp_path: Path) -> None:
    summary = run_on_ray(job, tmp_path)
    assert parts_of(tmp_path) == expected
    assert summary.set_aside == ()
    assert summary.tokens > summary.total.sentences > 0
    assert not list(tmp_path.glob("*.unfinished"))


class DyingMaker(PartMaker):
    """Its process is killed: at part 1 once, at part 3 each time, always before it is written."""

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        number = int(row["number"])
        with (self._folder / f"tried-{number}").open("a") as tries:
            tries.write("x")
        if number == 3 or (number == 1 and (self._folder / "tried-1").stat().st_size == 1):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(row)


@needs_ray
@pytest.mark.usefixtures("two_workers")
def test_workers_that_are_killed(
    job: Job, expected: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PartMaker", DyingMaker)
    parts = list(job.parts())[:5]
    outcomes = {part.number: done for part, done in on_ray(job, tmp_path)(parts, lambda _: None)}
    assert sorted(outcomes) == [0, 1, 2, 3, 4]
    failure = outcomes.pop(3)
    assert isinstance(failure, module.Failure)
    assert failure == module.Failure("3 workers died of it, perhaps for want of memory")
    assert (tmp_path / "tried-3").stat().st_size == 3
    assert (tmp_path / "tried-1").stat().st_size == 2
    assert all(isinstance(receipt, module.Receipt) for receipt in outcomes.values())
    names = [part.name for part in parts if part.number != 3]
    assert parts_of(tmp_path) == {name: expected[name] for name in names}


@needs_ray
@pytest.mark.usefixtures("two_workers")
def test_a_part_that_cannot_be_read(
    job: Job, expected: dict[str, bytes], tmp_path: Path, tiny_folder: Path
) -> None:
    texts = tmp_path / "texts"
    shutil.copytree(Path(job.files[0].path).parent, texts)
    moved = plan(job.words, [str(texts)], model=str(tiny_folder), part_bytes=job.part_bytes).job
    (texts / "a.txt").unlink()
    outcomes = dict(on_ray(moved, tmp_path)(list(moved.parts()), lambda _: None))
    failed = {
        part.number: done for part, done in outcomes.items() if isinstance(done, module.Failure)
    }
    assert sorted(failed) == [0, 1, 2, 3, 4, 5]
    assert all("a.txt" in failure.reason for failure in failed.values())
    assert sorted(parts_of(tmp_path)) == sorted(expected)[6:]


@needs_ray
@pytest.mark.usefixtures("two_workers")
def test_workers_without_the_model_of_the_job(job: Job, tmp_path: Path) -> None:
    other = replace(job, model=replace(job.model, sha256="0" * 64))
    with pytest.raises(BertvizError, match="but the job was begun with 000000000000…") as error:
        run_on_ray(other, tmp_path)
    assert "\n" not in str(error.value)


@needs_ray
@pytest.mark.usefixtures("two_workers")
def test_more_gpus_than_there_are(job: Job, tmp_path: Path) -> None:
    parts = list(job.parts())
    with pytest.raises(UserInputError, match=r"Ray has 0 GPUs .* a worker is to have 2"):
        next(on_ray(job, tmp_path, gpus_per_worker=2)(parts, lambda _: None))
    with pytest.raises(UserInputError, match="cannot have -1 GPUs"):
        on_ray(job, tmp_path, gpus_per_worker=-1)


@needs_ray
def test_the_driver_is_killed(
    job: Job, expected: dict[str, bytes], tmp_path: Path, tiny_encoder: "Encoder"
) -> None:
    """By the command, with a Ray that it starts; the rest is done in process."""
    out = tmp_path / "out"
    command = [
        *("occurrences", "cat", "python", "sat", "--out", str(out), "--ray", "local"),
        *("--corpus", str(Path(job.files[0].path).parent), "--model", job.model.name),
        *("--part-mb", str(job.part_bytes / 1e6)),
    ]
    driver = subprocess.Popen(
        [sys.executable, "-m", "bertviz_core.command.main", *command],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    own: dict[int, str] = {}
    try:
        wait(lambda: bool(parts_of(out)) or driver.poll() is not None)
        own = descendants(driver.pid)
        assert sum("ray::MapWorker" in name for name in own.values()), "they are at work"
        assert driver.poll() is None
    finally:
        driver.kill()
        driver.wait()
    there = {name: (out / name).stat().st_mtime_ns for name in parts_of(out)}
    assert 0 < len(there) < len(expected)
    workers = [pid for pid, name in own.items() if "MapWorker" in name or "raylet" in name]
    wait(lambda: not any(map(alive, workers)))
    for pid in filter(alive, own):  # Ray's agents look after the raylet twice a minute only
        os.kill(pid, signal.SIGKILL)
    summary = run(job, out, runner=in_process(Worker(job, out, tiny_encoder)))
    assert summary.before >= len(there) > 0
    assert parts_of(out) == expected
    assert not list(out.glob("*.unfinished"))
    assert {name: (out / name).stat().st_mtime_ns for name in there} == there, "they were kept"


def test_a_missing_ray(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    command = ["occurrences", "cat", "--out", str(tmp_path), "--ray", "local", "--model"]
    assert main([*command, job.model.name, "--corpus", job.files[0].path]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == (
        'Ray is not installed; run pip install ".[ray]", or leave out --ray to work on this '
        "machine alone."
    )


@needs_ray
@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere", "127.0.0.1:port"])
def test_a_ray_that_does_not_answer(job: Job, tmp_path: Path, address: str) -> None:
    import ray

    if ray.is_initialized():  # by the tests above
        ray.shutdown()
    began = time.monotonic()
    with pytest.raises(UserInputError, match=f"Ray at {address} cannot be reached: .*"):
        next(on_ray(job, tmp_path, address=address)(list(job.parts()), lambda _: None))
    assert time.monotonic() - began < 15


def wait(reached: Callable[[], bool]) -> None:
    """Look until it is so; to start a Ray and load the model takes long on a busy machine."""
    deadline = time.monotonic() + 90
    while not reached():
        assert time.monotonic() < deadline, "waited for 90 seconds"
        time.sleep(0.01)


def descendants(pid: int) -> dict[int, str]:
    """The processes that a process started, and those that they started, with their commands."""
    parents, commands = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rpartition(")")[2].split()[1]
            )
            commands[int(folder.name)] = (folder / "cmdline").read_text()
        except OSError:  # it has ended
            continue
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        children = [child for child, of in parents.items() if of == parent]
        found |= {child: commands.get(child, "") for child in children}
        waiting += children
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
