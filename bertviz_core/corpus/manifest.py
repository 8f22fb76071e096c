"""`_manifest.json`: the job whose results a folder holds; and a lock against a second run."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO

from bertviz_core.checkpoints.checkpoint import read_json
from bertviz_core.corpus.job import Job
from bertviz_core.corpus.part_files import appearing_whole, remove_unfinished, writing
from bertviz_core.errors import UserInputError, shortened

# Other programs, which open the folder as it is, pass over what begins with "_".
MANIFEST = "_manifest.json"
LOCK = "_running.lock"
FORMAT = 3


def begun(folder: Path) -> Job | None:
    """The job whose results a folder holds, or None; an address such as s3:// is refused."""
    # A Path makes s3:/bucket/found of s3://bucket/found.
    if re.match(r"[\w+.-]{2,}:[\\/]", str(folder)):
        raise UserInputError(
            f"{folder} is an address, not a folder of this machine; name a folder, and copy it "
            "from there."
        )
    path = folder / MANIFEST
    if not path.exists():
        return None
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


def read(folder: Path) -> Job:
    """The job whose results a folder holds; a UserInputError if there is none."""
    if (job := begun(folder)) is None:
        raise UserInputError(
            f"{folder} holds no {MANIFEST}; name one that `bert-explorer occurrences` has made."
        )
    return job


@contextmanager
def begin(folder: Path, job: Job) -> Iterator[None]:
    """Lock a folder for one run of a job, until the `with` or the process ends."""
    begun(folder)  # refuses an address before it becomes a folder
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("a")
    with lock:
        if not _locked(lock):
            raise UserInputError(
                f"Another run is at work in {folder}; wait until it has ended, or choose another "
                "folder."
            )
        if before := begun(folder):
            for (name, was), now in zip(asdict(before).items(), asdict(job).values(), strict=True):
                if was != now:
                    raise UserInputError(
                        f"{folder} holds another job: {name.replace('_', ' ')} is "
                        f"{shortened(was)}, not {shortened(now)}; choose another folder."
                    )
        elif any(folder.glob("part-*.parquet")):
            raise UserInputError(f"{folder} holds parts without {MANIFEST}; choose another folder.")
        else:
            content = {"format": FORMAT, "job": asdict(job)}
            with writing(folder), appearing_whole(folder / MANIFEST) as path:
                path.write_text(json.dumps(content, indent=1), encoding="utf-8")
        remove_unfinished(folder)
        yield
        remove_unfinished(folder)  # of workers that died


def _locked(lock: IO[str]) -> bool:
    """Lock a file, if nobody has; the system unlocks it when the process ends, however it ends."""
    try:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    # Windows, or a network drive without locks: two runs then do the same work twice, and no harm.
    except (ImportError, OSError):
        pass
    return True
