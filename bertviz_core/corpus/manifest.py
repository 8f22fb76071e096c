"""`manifest.json`: which job a folder belongs to; and the lock that one run holds at a time."""

import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bertviz_core.checkpoints.settings import read_json
from bertviz_core.corpus.job import Job
from bertviz_core.corpus.part_files import remove_unfinished, writing
from bertviz_core.errors import UserInputError

MANIFEST = "manifest.json"
LOCK = "running.lock"
FORMAT = 1
_PACKAGES = ("torch", "tokenizers", "numpy", "pyarrow", "pysbd")


def read(folder: Path) -> Job:
    """Read which job a folder belongs to."""
    return _read(folder)[0]


@contextmanager
def begin(folder: Path, job: Job) -> Iterator[tuple[str, ...]]:
    """Take a folder for one run of a job; it is free again when the `with` or the process ends.

    Yields packages of other versions than when the job was begun: last digits may then differ.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _take(folder, lock)
        now = _versions()
        if (folder / MANIFEST).exists():
            begun, before = _read(folder)
            _check_same(folder, begun, job)
        elif any(folder.glob("part-*.parquet")):
            raise UserInputError(f"{folder} holds parts without {MANIFEST}; choose another folder.")
        else:
            _write(folder, {"format": FORMAT, "versions": now, "job": job.to_json()})
            before = now
        remove_unfinished(folder)
        yield _changes(before, now)
    finally:
        os.close(lock)


def _take(folder: Path, lock: int) -> None:
    """Lock a file; the system unlocks it when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two runs then do the same work twice, and no harm
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UserInputError(
            f"Another run is at work in {folder}; wait until it has ended, or choose another "
            "folder."
        ) from error
    except OSError:  # a network drive without locks: as on Windows
        return


def _read(folder: Path) -> tuple[Job, dict[str, str]]:
    """The job, and the versions of packages it was begun with."""
    path = folder / MANIFEST
    if not path.exists():
        raise UserInputError(
            f"{folder} holds no {MANIFEST}; name a folder that `bertviz occurrences` has made."
        )
    try:
        content = read_json(path)
        if content["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        return Job.from_json(content["job"]), dict(content["versions"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserInputError(
            f"{path} is damaged, or of another version of this project ({error}); choose another "
            "folder."
        ) from error


def _check_same(folder: Path, before: Job, now: Job) -> None:
    wants = _plain(now)
    for name, was in _plain(before).items():
        if was != wants[name]:
            raise UserInputError(
                f"{folder} holds another job: {name.replace('_', ' ')} is {_short(name, was)}, not "
                f"{_short(name, wants[name])}; choose another folder."
            )


def _plain(job: Job) -> dict[str, Any]:
    """A job as it is read from a file again: with lists for tuples."""
    return dict(json.loads(json.dumps(job.to_json())))


def _short(name: str, value: Any) -> str:
    """One setting of a job in a few words."""
    if name == "model":
        return f"{value['name']} (SHA-256 {value['sha256'][:12]}…)"
    if name == "files":
        size = sum(file["size"] for file in value)
        return f"{len(value):,} of {size:,} bytes from {value[0]['path']}"
    if name == "carried":
        return ", ".join(f"{one['name']} ({one['kind']})" for one in value) or "none"
    if name == "words":
        return ", ".join(one["name"] for one in value[:10])
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _changes(before: dict[str, str], now: dict[str, str]) -> tuple[str, ...]:
    return tuple(
        f"{name} {before.get(name, 'none')} then, {now.get(name, 'none')} now"
        for name in dict.fromkeys([*before, *now])
        if before.get(name) != now.get(name)
    )


def _write(folder: Path, content: dict[str, Any]) -> None:
    unfinished = folder / f"{MANIFEST}.unfinished"
    with writing(folder):
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, folder / MANIFEST)
