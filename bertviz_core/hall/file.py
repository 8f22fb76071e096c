"""One SQLite file that may fail, vanish and come back while the server runs."""

import errno
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bertviz_core.errors import BertvizError

BUSY = 2.0  # seconds to wait for another process; a thread waits three times as long
_CAUSES = {  # by a part of the error's name, SQLITE_FULL or ENOSPC
    "the disk is full": ("FULL", "ENOSPC", "EDQUOT"),
    "they may only be read": ("READONLY", "PERM", "EPERM", "EROFS", "EACCES"),
    "another program keeps them locked": ("BUSY", "LOCKED", "EBUSY"),
    "their file is damaged": ("CORRUPT", "NOTADB"),
    "their file or folder is missing": ("CANTOPEN", "ENOENT", "ENOTDIR", "EEXIST", "EISDIR"),
    "another version of the app wrote them": ("ERROR",),
}


class StoreError(BertvizError):
    """The halls cannot be read or written; the message says why, and names no path."""


@contextmanager
def failures_named() -> Iterator[None]:
    """Say in one sentence why the store failed."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        name = getattr(error, "sqlite_errorname", errno.errorcode.get(getattr(error, "errno", 0)))
        parts = str(name).split("_")
        cause = next(
            (said for said, names in _CAUSES.items() if not set(parts).isdisjoint(names)),
            "the disk fails",
        )
        raise StoreError(
            f"The answers of the hall cannot be kept: {cause}. The talk goes on without votes."
        ) from error


class StoreFile:
    """The file and a folder beside it; safe to share between threads."""

    def __init__(self, path: Path, folder: Path, tables: str) -> None:
        """Open the file, or make it."""
        self._path, self._folder, self._tables = path, folder, tables
        self._lock = threading.RLock()
        with failures_named():
            self._open, self._opened = self._connect()

    def make(self) -> None:
        """Make the file anew where it was deleted."""
        with self._lock, failures_named():
            if not self._path.exists():
                self._open.close()
                self._open, self._opened = self._connect()

    def _connect(self) -> tuple[sqlite3.Connection, tuple[int, int]]:
        """The file, made where it is missing, and which of the disk's files it is."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._path.exists():
            self._path.touch(mode=0o600)  # no other user reads it, nor the log beside it
        file = sqlite3.connect(
            self._path, timeout=BUSY, isolation_level=None, check_same_thread=False
        )
        file.executescript(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON;"
            "PRAGMA temp_store=MEMORY;" + self._tables
        )
        return file, self._which()

    def _which(self) -> tuple[int, int]:
        found = self._path.stat()
        return found.st_dev, found.st_ino

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """The file, for one thread at a time; opened again where it was replaced, or failed."""
        with failures_named():
            if not self._lock.acquire(timeout=3 * BUSY):
                raise TimeoutError(errno.EBUSY, "locked")
            try:
                if self._opened != self._which():
                    self._open.close()
                    self._open, self._opened = self._connect()
                yield self._open
            except (sqlite3.Error, OSError):
                self._opened = (0, 0)
                raise
            finally:
                self._lock.release()

    def read(self, asked: str, *values: object) -> list[Any]:
        """All rows of an answer."""
        with self.alone() as file:
            return file.execute(asked, values).fetchall()

    def change(self, asked: str, *values: object) -> int:
        """How many rows one statement has changed."""
        with self.changing() as file:
            return file.execute(asked, values).rowcount

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """All of a change, or nothing; one at a time in all processes."""
        with self.alone() as file:
            file.execute("BEGIN IMMEDIATE")
            try:
                yield file
                file.execute("COMMIT")
            except BaseException:
                if file.in_transaction:  # on a full disk SQLite has undone it itself
                    file.execute("ROLLBACK")
                raise
