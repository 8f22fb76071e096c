"""One SQLite file that may fail, vanish and come back while the server runs."""

import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bertviz_core.errors import BertvizError

BUSY = 2.0  # seconds to wait for another process


class StoreError(BertvizError):
    """The halls cannot be read or written; the message says why, and names no path."""


@contextmanager
def failures_named() -> Iterator[None]:
    """Turn what SQLite or the disk reports into one sentence."""
    try:
        yield
    except (sqlite3.Error, OSError, OverflowError, UnicodeError) as error:  # the last: its values
        cause = error.strerror if isinstance(error, OSError) else error
        raise StoreError(
            f"The answers of the hall cannot be kept ({cause}). The talk goes on without votes."
        ) from error


class StoreFile:
    """The file; safe to share between threads and processes."""

    def __init__(self, path: Path, tables: str) -> None:
        """Open the file, or make it."""
        self._path, self._tables = path, tables
        self._lock = threading.RLock()
        self._file: sqlite3.Connection | None = None
        self.open()

    def open(self) -> None:
        """Open the file anew, and make it where it was deleted."""
        with self._lock, failures_named():
            self.close()
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600)  # no other user reads it, nor the log beside it
            file = sqlite3.connect(
                self._path, timeout=BUSY, isolation_level=None, check_same_thread=False
            )
            file.executescript(
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON;"
                "PRAGMA temp_store=MEMORY;"
            )
            layout = zlib.crc32(self._tables.encode()) % 2**31
            file.execute("BEGIN IMMEDIATE")  # another process may be opening it
            with file:
                if file.execute("PRAGMA user_version").fetchone() != (layout,):
                    # Of another version of the app: its tables are of no use any more.
                    tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
                    for (name,) in file.execute(tables).fetchall():
                        file.execute(f"DROP TABLE {name}")
                    file.execute(f"PRAGMA user_version = {layout}")
            file.executescript("PRAGMA foreign_keys=ON;" + self._tables)
            self._file = file

    def close(self) -> None:
        """Let go of the file."""
        if self._file:
            self._file.close()
        self._file = None

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """The file, for one thread at a time; opened anew after a failure."""
        with self._lock, failures_named():
            if self._file is None:
                self.open()
            assert self._file
            try:
                yield self._file
            except (sqlite3.Error, OSError):
                self.close()
                raise

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """All of a change, or nothing; one at a time in all processes."""
        with self.alone() as file:
            file.execute("BEGIN IMMEDIATE")
            with file:  # commits, or undoes
                yield file

    def read(self, query: str, *values: object) -> list[Any]:
        """All rows of an answer."""
        with self.alone() as file:
            return file.execute(query, values).fetchall()

    def change(self, query: str, *values: object) -> int:
        """How many rows one statement has changed."""
        with self.alone() as file:
            return file.execute(query, values).rowcount
