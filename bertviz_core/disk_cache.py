"""Results of long work on disk, so that a machine does it only once.

Those for the embedded model ship with the project: `make shipped` writes them. All others lie in
`checkpoints.checkpoint.kept_folder`. Each of these may be deleted at any time.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.checkpoints.checkpoint import kept_folder


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
    if found := known_arrays(kind, key):
        return found
    made = make()
    if can_be_kept():
        write_arrays(kept_file(kind, key), key, made)
    return made
