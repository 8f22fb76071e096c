"""`_manifest.json`: which job a folder belongs to; and the lock that one run holds at a time."""

import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bertviz_core.checkpoints.settings import read_json
from bertviz_core.corpus.job import Job
from bertviz_core.corpus.part_files import appearing_whole, remove_unfinished, writing
from bertviz_core.errors import UserInputError

# Other programs, which open the folder as it is, pass over what begins with "_".
MANIFEST = "_manifest.json"
LOCK = "_running.lock"
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
        before = now = _versions()
        if (folder / MANIFEST).exists():
            begun, before = _read(folder)
            _check_same(folder, begun, job)
        elif any(folder.glob("part-*.parquet")):
            raise UserInputError(f"{folder} holds parts without {MANIFEST}; choose another folder.")
        else:
            content = {"format": FORMAT, "versions": now, "job": job.to_json()}
            with appearing_whole(folder / MANIFEST) as path, writing(folder):
                path.write_text(json.dumps(content, indent=1), encoding="utf-8")
        remove_unfinished(folder)
        yield tuple(
            f"{name} {before.get(name, 'none')} then, {now.get(name, 'none')} now"
            for name in dict.fromkeys([*before, *now])
            if before.get(name) != now.get(name)
        )
    finally:
        os.close(lock)


def _take(folder: Path, lock: int) -> None:
    """Lock a file; the system unlocks it when the process ends, however it ends."""
    # Windows, or a network drive without locks: two runs then do the same work twice, and no harm.
    with suppress(ImportError, OSError):
        import fcntl

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserInputError(
                f"Another run is at work in {folder}; wait until it has ended, or choose another "
                "folder."
            ) from error


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
    wanted = now.to_json()
    for name, was in before.to_json().items():
        if was != wanted[name]:
            raise UserInputError(
                f"{folder} holds another job: {name.replace('_', ' ')} is {_short(name, was)}, not "
                f"{_short(name, wanted[name])}; choose another folder."
            )


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
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
