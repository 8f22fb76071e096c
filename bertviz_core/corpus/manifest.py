"""`_manifest.json`: which job a folder belongs to; and the lock that one run holds at a time."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from bertviz_core.checkpoints.settings import read_json
from bertviz_core.corpus.job import Job
from bertviz_core.corpus.part_files import appearing_whole, remove_unfinished, writing
from bertviz_core.errors import UserInputError, shortened

# Other programs, which open the folder as it is, pass over what begins with "_".
MANIFEST = "_manifest.json"
LOCK = "_running.lock"
FORMAT = 3


def part_bytes(folder: Path) -> int | None:
    """Of the corpus a part, of the job that a folder belongs to already; None for a new one."""
    return read(folder).part_bytes if (folder / MANIFEST).exists() else None


def check_local(folder: Path) -> None:
    """Refuse an address; of s3://bucket/found a Path has left s3:/bucket/found, a folder here."""
    if re.match(r"[\w+.-]{2,}:[\\/]", str(folder)):
        raise UserInputError(
            f"{folder} is an address, not a folder of this machine; name a folder, and copy it "
            "from there."
        )


@contextmanager
def begin(folder: Path, job: Job) -> Iterator[None]:
    """Take a folder for one run of a job; it is free again when the `with` or the process ends."""
    check_local(folder)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("a")
    with lock:
        _take(folder, lock)
        if (folder / MANIFEST).exists():
            _check_same(folder, read(folder).to_json(), job.to_json())
        elif any(folder.glob("part-*.parquet")):
            raise UserInputError(f"{folder} holds parts without {MANIFEST}; choose another folder.")
        else:
            content = {"format": FORMAT, "job": job.to_json()}
            with appearing_whole(folder / MANIFEST) as path, writing(folder):
                path.write_text(json.dumps(content, indent=1), encoding="utf-8")
        remove_unfinished(folder)
        yield
        remove_unfinished(folder)  # of workers that died


def _take(folder: Path, lock: IO[str]) -> None:
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


def read(folder: Path) -> Job:
    """Read which job a folder belongs to."""
    path = folder / MANIFEST
    if not path.exists():
        raise UserInputError(
            f"{folder} holds no {MANIFEST}; name one that `bert-explorer occurrences` has made."
        )
    try:
        content = read_json(path)
        if content["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        return Job.from_json(content["job"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserInputError(
            f"{path} is damaged, or of another version of this project ({error}); choose another "
            "folder."
        ) from error


def _check_same(folder: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    for name, was in before.items():
        if was != now[name]:
            raise UserInputError(
                f"{folder} holds another job: {name.replace('_', ' ')} is {shortened(was)}, not "
                f"{shortened(now[name])}; choose another folder."
            )
