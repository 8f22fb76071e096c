"""The halls of a server, in one SQLite file: replicas that see it share them.

What a hall is asked is also in a small file, for phones that wait for it to change (ui/server.py).
Only those who are in the hall know its name.

A phone is known by a digest that differs from hall to hall; no name and no address is kept. A hall
is overwritten when it is closed, or when its lecturer has done nothing for three hours.
"""

import hashlib
import json
import secrets
import sqlite3
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

from bertviz_core.disk_cache import appearing_whole
from bertviz_core.errors import BertvizError, UserInputError
from bertviz_core.hall import rates

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
        with self.alone() as file:
            return file.execute(query, values).fetchall()

    def change(self, query: str, *values: object) -> int:
        """How many rows one statement has changed."""
        with self.alone() as file:
            return file.execute(query, values).rowcount


LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words; 160,000 codes of four
MAX_HALLS = 20  # of a server
MAX_OPEN = 5  # of those, one network's
MAX_IDLE = 3 * 3600.0  # seconds
SWEEP = 60.0  # seconds between two looks for halls to forget
MAX_ANSWER = 100  # characters
NOTICE = "notice"  # hidden by the hall's salt, the name of its file
TICKET = "ticket"  # hidden likewise, what the QR code says besides the four letters
Stage = Literal["nothing", "answers", "truth"]  # what is shown of a question
Rule = Literal["", "all", "locked"]  # what the lecturer says of those who are not in yet
_OF_A_HALL = "code TEXT NOT NULL REFERENCES halls ON DELETE CASCADE"
_TABLES = f"""
CREATE TABLE IF NOT EXISTS halls (
    code TEXT PRIMARY KEY, key TEXT, salt BLOB, opener INTEGER, rule TEXT, used REAL,
    stop INTEGER, round INTEGER, stage TEXT, claim TEXT, question TEXT, options TEXT);
CREATE TABLE IF NOT EXISTS truths (
    {_OF_A_HALL}, stop INTEGER, truth TEXT, PRIMARY KEY (code, stop)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS phones (
    {_OF_A_HALL}, phone TEXT, seen REAL, PRIMARY KEY (code, phone)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS votes (
    {_OF_A_HALL}, stop INTEGER, round INTEGER, phone TEXT, answer TEXT,
    PRIMARY KEY (code, stop, round, phone)) WITHOUT ROWID;
"""


class Lecture(NamedTuple):
    """A hall as its lecturer has it."""

    code: str  # four letters, for everybody
    key: str  # for the lecturer alone


class HallState(NamedTuple):
    """What a hall is asked now."""

    stop: int  # of the tour; 0 before the first
    round: int = 1  # 1 before its view was seen, 2 after
    stage: Stage = "nothing"
    claim: str = ""
    question: str = ""
    options: str = ""  # to choose from, with "_" between them; none where a number is asked


class Halls:
    """The halls of a server; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self.notices = path.with_suffix("")
        self._file = StoreFile(path, _TABLES + rates.TABLE)
        self._read, self._change = self._file.read, self._file.change
        self._changing = self._file.changing
        # Of each hall when its lecturer last did something, and since when that is known here.
        self._last_use: dict[str, tuple[float, float]] = {
            code: (used, time.monotonic() - max(time.time() - used, 0))
            for code, used in self._read("SELECT code, used FROM halls")
        }
        self._look_for_idle()

    def open(self, opener: int = 0) -> Lecture:
        """Begin a hall; nothing is asked yet. A store that was deleted is made anew."""
        self._file.open()
        self._forget_idle()
        with self._changing() as file:
            counted = "SELECT COUNT(*), COUNT(*) FILTER (WHERE opener=?) FROM halls"
            of_all, of_opener = file.execute(counted, [opener]).fetchone()
            if of_all >= MAX_HALLS:
                raise UserInputError(f"{MAX_HALLS} halls are open on this server; try again later.")
            if of_opener >= MAX_OPEN:
                raise UserInputError(
                    f"{MAX_OPEN} halls are open from your address; close one first."
                )
            code = ""
            while not code or file.execute("SELECT 1 FROM halls WHERE code=?", [code]).fetchone():
                code = "".join(secrets.choice(LETTERS) for _ in range(4))
            key = secrets.token_urlsafe(16)
            salt = secrets.token_bytes(16)
            state = HallState(0)
            row = (code, _digest(key), salt, opener, "", time.time(), *state)
            file.execute(f"INSERT INTO halls VALUES ({', '.join('?' * len(row))})", row)
            self._post(code, state)
        return Lecture(code, key)

    def owns(self, lecture: Lecture) -> bool:
        """Whether this is the lecturer of an open hall."""
        key = _digest(lecture.key)
        return bool(self._read("SELECT 1 FROM halls WHERE code=? AND key=?", lecture.code, key))

    def state(self, code: str) -> HallState | None:
        """What a hall is asked; None where there is no such hall."""
        query = f"SELECT {', '.join(HallState._fields)} FROM halls WHERE code=?"
        rows = self._read(query, code)
        return HallState(*rows[0]) if rows else None

    def ask(self, lecture: Lecture, state: HallState) -> bool:
        """Move a hall to another question, another round, or show what was answered."""
        changes = ", ".join(f"{name}=?" for name in HallState._fields)
        with self._changing() as file:  # so that notices appear in the order of the changes
            count = file.execute(
                f"UPDATE halls SET {changes}, used=? WHERE code=? AND key=?",
                [*state, time.time(), lecture.code, _digest(lecture.key)],
            ).rowcount
            if count:
                self._post(lecture.code, state)
        return count == 1

    def tell(self, lecture: Lecture, stop: int, truth: str) -> None:
        """Say what is true, once its view is seen: phones are told whether they were right."""
        self._change(
            "REPLACE INTO truths SELECT code, ?, ? FROM halls WHERE code=? AND key=?",
            *(stop, truth, lecture.code, _digest(lecture.key)),
        )

    def set_rule(self, lecture: Lecture, rule: Rule) -> None:
        """Lock the door for those who are not in yet, let all in, or neither."""
        query = "UPDATE halls SET rule=? WHERE code=? AND key=?"
        self._change(query, rule, lecture.code, _digest(lecture.key))

    def close(self, lecture: Lecture) -> None:
        self._delete("code=? AND key=?", lecture.code, _digest(lecture.key))

    def enter(self, code: str, browser: str, ticket: str = "", came_from: int = 0) -> str:
        """The name of a browser in a hall, the same each time; "" where there is no such hall.

        A phone that is in stays, and is noted as present. Who has the QR code's ticket does not
        wait behind those who type letters. `NotYet` says that it may be tried again: letters have
        to wait, the door is locked, or all is full.
        """
        with self._changing() as file:
            row = file.execute("SELECT salt, rule FROM halls WHERE code=?", [code]).fetchone()
            if row is None:
                rates.wait_for_turn(file, came_from)
                rates.note(file, rates.WRONG, came_from)
                return ""
            salt, rule = row
            phone = _hidden(browser, salt)
            query = "SELECT 1 FROM phones WHERE code=? AND phone=?"
            if not file.execute(query, [code, phone]).fetchone():
                if ticket != _hidden(TICKET, salt):
                    rates.wait_for_turn(file, came_from)
                rates.join(file, code, rule, came_from)
            file.execute("REPLACE INTO phones VALUES (?, ?, ?)", [code, phone, time.time()])
            return phone

    def vote(self, code: str, phone: str, stop: int, round_: int, answer: str) -> bool:
        """Take a phone's first answer to a question; False where that is over, or it has one."""
        count = self._change(
            "INSERT OR IGNORE INTO votes SELECT halls.code, stop, round, phone, ? "
            "FROM halls JOIN phones ON phones.code=halls.code AND phone=? "
            "WHERE halls.code=? AND stop=? AND round=? AND stage='nothing'",
            *(answer[:MAX_ANSWER], phone, code, stop, round_),
        )
        return count == 1

    def present(self, code: str) -> int:
        query = "SELECT COUNT(*) FROM phones WHERE code=? AND seen>?"
        return int(self._read(query, code, time.time() - rates.PRESENT)[0][0])

    def crowd(self, code: str) -> tuple[int, Rule]:
        """The most who joined from one network within the last minute, and who may join."""
        rows = self._read(
            "SELECT COUNT(at), rule FROM halls LEFT JOIN counted "
            "ON counted.code=halls.code AND at>? WHERE halls.code=? "
            "GROUP BY origin ORDER BY 1 DESC LIMIT 1",
            *(time.time() - rates.MINUTE, code),
        )
        return rows[0] if rows else (0, "")

    def answers(self, code: str, stop: int, round_: int) -> Counter[str]:
        query = "SELECT answer, COUNT(*) FROM votes WHERE code=? AND stop=? AND round=? GROUP BY 1"
        return Counter(dict(self._read(query, code, stop, round_)))

    def truths(self, code: str) -> dict[int, str]:
        """What is true, by stop, as far as the hall has been told."""
        return dict(self._read("SELECT stop, truth FROM truths WHERE code=?", code))

    def before_and_after(self, code: str) -> dict[int, list[tuple[str, str]]]:
        """By stop, the two answers of each phone that gave both."""
        pairs: dict[int, list[tuple[str, str]]] = {}
        for stop, *pair in self._read(
            "SELECT a.stop, a.answer, b.answer FROM votes a JOIN votes b "
            "ON b.code=a.code AND b.stop=a.stop AND b.phone=a.phone AND b.round=2 "
            "WHERE a.code=? AND a.round=1 ORDER BY a.stop, a.phone",
            code,
        ):
            pairs.setdefault(stop, []).append(tuple(pair))
        return pairs

    def of_phone(self, code: str, phone: str) -> dict[tuple[int, int], str]:
        """All answers of a phone, by stop and round."""
        query = "SELECT stop, round, answer FROM votes WHERE code=? AND phone=?"
        return {(stop, round_): answer for stop, round_, answer in self._read(query, code, phone)}

    def notice(self, code: str) -> str:
        """The file in `notices` that says what a hall is asked: its state, as JSON."""
        return self._name(code, NOTICE)

    def ticket(self, code: str) -> str:
        """What the QR code says besides the four letters: nobody guesses it."""
        return self._name(code, TICKET)

    def _name(self, code: str, what: str) -> str:
        """A name that is not guessed and differs from hall to hall."""
        rows = self._read("SELECT salt FROM halls WHERE code=?", code)
        if not rows:
            raise UserInputError("There is no such hall, or it was closed.")
        return _hidden(what, rows[0][0])

    def _post(self, code: str, state: HallState) -> None:
        notice = self.notices / self.notice(code)
        with failures_named():
            self.notices.mkdir(mode=0o700, parents=True, exist_ok=True)
            with appearing_whole(notice) as new:
                new.write_text(json.dumps(state))

    def _look_for_idle(self) -> None:
        """Forget what is idle now and then, also where nobody opens another hall."""
        with suppress(StoreError):
            self._forget_idle()
        again = threading.Timer(SWEEP, self._look_for_idle)
        again.daemon = True
        again.start()

    def _forget_idle(self) -> None:
        """Forget halls that were not used for so long by a clock that nobody can set."""
        now = time.monotonic()
        before = self._last_use
        self._last_use = {
            code: before[code] if before.get(code, ())[:1] == (used,) else (used, now)
            for code, used in self._read("SELECT code, used FROM halls")
        }
        idle = [code for code, (_, since) in self._last_use.items() if now - since > MAX_IDLE]
        self._delete("code IN (SELECT value FROM json_each(?))", json.dumps(idle))

    def _delete(self, which: str, *values: object) -> None:
        """Delete halls and all that is of them, and every file that is of no open hall."""
        with self._changing() as file:  # no other process posts meanwhile
            file.execute(f"DELETE FROM halls WHERE {which}", values)
            salts = file.execute("SELECT salt FROM halls").fetchall()
            open_ones = {self.notices / _hidden(NOTICE, salt) for (salt,) in salts}
            for path in {*self.notices.glob("*")} - open_ones:
                path.unlink(missing_ok=True)
        # The log still holds what was deleted, and goes on to while another process reads it.
        self._read("PRAGMA wal_checkpoint(TRUNCATE)")


def _hidden(what: str, salt: bytes) -> str:
    return hashlib.blake2b(what.encode(), key=salt, digest_size=12).hexdigest()


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
