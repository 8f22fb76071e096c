"""Results of long work on disk, so that a machine does it only once.

They lie in `checkpoints.checkpoint.kept_folder`. Each file may be deleted at any time.
"""

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f"{path.stem}-", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, allow_pickle=False, key=np.array(key), **values)
            os.replace(part, path)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
    except OSError:
        return False
    return True


def made_once(
    shipped: Path,
    path: Path,
    key: str,
    make: Callable[[], Mapping[str, Any]],
    can_be_kept: Callable[[], bool],  # asked once they are made
) -> Mapping[str, NDArray[Any]]:
    """The shipped arrays of a key, or those at `path`; else make them, and keep them there."""
    if found := read_arrays(shipped, key) or read_arrays(path, key):
        return found
    made = make()
    if can_be_kept():
        write_arrays(path, key, made)
    return made
