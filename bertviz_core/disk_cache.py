"""Files that appear whole, and results of long work, so that a machine does it only once.

Results for the embedded model ship with the project: `make shipped` writes them. All others lie in
`checkpoints.checkpoint.kept_folder`. Each of these may be deleted at any time.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from bertviz_core.checkpoints.checkpoint import kept_folder

UNFINISHED = ".unfinished"  # how the name of a file ends while it is written
PART = ".part"  # and that of a folder


@contextmanager
def locked(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Lock a file or folder, if nobody has; whether it is ours. Windows does not lock."""
    try:
        import fcntl
    except ImportError:
        yield True
        return
    file = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:  # the system unlocks it when it is closed, or the process ends, however it ends
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        ours = True
    except OSError as error:
        ours = not isinstance(error, BlockingIOError)  # else a network drive without locks
    try:
        yield ours
    finally:
        os.close(file)


def remove_unfinished(folder: Path, pattern: str = f"_*{UNFINISHED}") -> None:
    """Remove what was left half written in a folder, but not what a process still writes."""
    for path in folder.glob(pattern):
        with suppress(OSError), locked(path) as ours:
            if ours:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def appearing_whole(path: Path, folder: Path | None = None) -> Iterator[Path]:
    """Yield a path beside `path`, or in `folder`; at the end its file takes the place of `path`."""
    unfinished = (folder or path.parent) / f"_{uuid4().hex}{UNFINISHED}"
    try:
        unfinished.touch(exist_ok=False)
        with locked(unfinished):  # so that no other process removes it
            yield unfinished
            with unfinished.open("rb+") as file:
                os.fsync(file.fileno())
            os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def key_of(*parts: object) -> str:
    """The hex digest of what arrays are made from: each part as text, on a line of its own."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


def shipped_file(kind: str) -> Path:
    """The file of arrays of a kind, such as "nouns", for the embedded model."""
    return Path(__file__).parent / "data" / f"{kind}-all-MiniLM-L6-v2.npz"


def kept_file(kind: str, key: str) -> Path:
    """Where arrays of a kind are kept, whether or not the file exists."""
    return kept_folder() / f"{kind}-{key[:32]}.npz"


def read_arrays(path: Path, key: str) -> dict[str, NDArray[Any]] | None:
    """Read arrays that `write_arrays` wrote for this key; None if missing or damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if str(file["key"]) != key:
                return None
            return {name: file[name] for name in file.files if name != "key"}
    except Exception:  # a damaged file fails in zipfile, zlib, tokenize or anywhere in NumPy
        return None


def write_arrays(path: Path, key: str, values: Mapping[str, Any]) -> bool:
    """Write arrays, all or none, with what they were made from; whether the folder took them."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with appearing_whole(path) as whole, whole.open("wb") as file:
            np.savez(file, allow_pickle=False, key=np.array(key), **values)
    except OSError:
        return False
    return True


def known_arrays(kind: str, key: str) -> dict[str, NDArray[Any]] | None:
    """The arrays of a key that ship, or that this machine made before; None if there are none."""
    return read_arrays(shipped_file(kind), key) or read_arrays(kept_file(kind, key), key)


def made_once(
    kind: str,
    key: str,
    make: Callable[[], Mapping[str, Any]],
    can_be_kept: Callable[[], bool],  # asked once they are made
) -> Mapping[str, NDArray[Any]]:
    """The arrays of a key, if they are known; else make them, and keep them on disk."""
    if arrays := known_arrays(kind, key):
        return arrays
    new_arrays = make()
    if can_be_kept():
        write_arrays(kept_file(kind, key), key, new_arrays)
    return new_arrays
