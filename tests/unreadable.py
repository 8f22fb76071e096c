"""A folder or a file that belongs to another user, also where the tests run as root."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65_534


@contextmanager
def unreadable(folder: Path) -> Iterator[None]:
    """Nobody may read a folder, or a file, for the time of the block; root becomes another."""
    mode, root = folder.stat().st_mode, os.geteuid() == 0
    folder.chmod(0)
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(mode)


@contextmanager
def world_readable(folder: Path) -> Iterator[None]:
    """Let everybody look into a folder: pytest's own are for their user alone."""
    above = [path for path in (folder, *folder.parents) if not path.stat().st_mode & 0o001]
    for path in above:
        path.chmod(path.stat().st_mode | 0o055)
    try:
        yield
    finally:
        for path in above:
            path.chmod(path.stat().st_mode & ~0o055)
