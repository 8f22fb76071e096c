"""The halls of a server, in one SQLite file: replicas that see it share them.

What a hall is asked stands besides in a small file, which phones read every other second; its name
is known only to those who are in the hall.

A phone is known by a digest that differs from hall to hall; no name and no address is kept. What a
hall held is overwritten a minute or two after it is closed, which can be undone until then, or when
its lecturer has done nothing for three hours in which a server ran; the clock of the machine does
not count, since it may jump.
"""

import hashlib
import json
import secrets
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from bertviz_core.errors import UserInputError
from bertviz_core.hall import rates
from bertviz_core.hall.file import StoreError, StoreFile

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words; 160,000 codes of four
MAX_HALLS, MAX_OPEN = 20, 5  # of a server, and of those one network's
IDLE = 3 * 3600.0  # seconds
UNDO = 60.0  # seconds for which a closed hall can be opened again
SWEEP = 60.0  # seconds between two looks for halls to forget
MAX_ANSWER = 100  # characters
NOTICE = "notice"  # hidden by the hall's salt, the name of its file
TICKET = "ticket"  # hidden likewise, what the QR code says besides the four letters
Shown = Literal["nothing", "answers", "truth", "closed"]
Rule = Literal["", "all", "locked"]  # what the lecturer says of those who are not in yet
_TABLES = """
CREATE TABLE IF NOT EXISTS halls (
    code TEXT PRIMARY KEY, key TEXT, salt BLOB, opener INTEGER, rule TEXT, used INTEGER,
    question INTEGER, round INTEGER, shown TEXT, words TEXT);
CREATE TABLE IF NOT EXISTS truths (
    code TEXT, question INTEGER, truth TEXT, PRIMARY KEY (code, question)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS phones (
    code TEXT, phone TEXT, seen REAL, PRIMARY KEY (code, phone)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS votes (
    code TEXT, question INTEGER, round INTEGER, phone TEXT, answer TEXT,
    PRIMARY KEY (code, question, round, phone)) WITHOUT ROWID;
"""


class Lecture(NamedTuple):
    """A hall as its lecturer has it."""

    code: str  # four letters, for everybody
    key: str  # for the lecturer alone


class State(NamedTuple):
    """What a hall is asked now."""

    question: int  # a stop of the tour
    round: int  # 1 before its view was seen, 2 after
    shown: Shown = "nothing"
    words: str = ""  # of which one is chosen, with "_" between them, where that is asked


class Crowd(NamedTuple):
    """The most who joined from one network within a minute, and what the lecturer says of it."""

    joined: int
    seconds: float
    rule: Rule


class Halls:
    """The halls of a server; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        """Open the file, or make it."""
        self.notices = path.with_suffix("")
        self._used: dict[str, tuple[int, float]] = {}  # of each hall, and since when it is that
        self._file = StoreFile(path, self.notices, _TABLES + rates.TABLE)
        self._read, self._change = self._file.read, self._file.change
        self._changing = self._file.changing
        self._look_for_idle()

    def open(self, opener: int = 0) -> Lecture:
        """Begin a hall; nothing is asked yet. A store that was deleted is made anew."""
        self._file.make()
        self._forget_idle()
        with self._changing() as file:
            counted = "SELECT COUNT(*), COUNT(*) FILTER (WHERE opener=?) FROM halls"
            there, theirs = file.execute(counted, [opener]).fetchone()
            if there >= MAX_HALLS:
                raise UserInputError(f"{MAX_HALLS} halls are open on this server; try again later.")
            if theirs >= MAX_OPEN:
                raise UserInputError(
                    f"{MAX_OPEN} halls are open from your address; close one first."
                )
            code, key = "", secrets.token_urlsafe(16)
            while not code or file.execute("SELECT 1 FROM halls WHERE code=?", [code]).fetchone():
                code = "".join(secrets.choice(LETTERS) for _ in range(4))
            row = (code, _digest(key), secrets.token_bytes(16), opener, "", 0, *State(0, 1))
            file.execute(f"INSERT INTO halls VALUES ({', '.join('?' * len(row))})", row)
            self._post(code, State(0, 1))
        return Lecture(code, key)

    def state(self, code: str) -> State | None:
        """What a hall is asked; None where there is no such hall."""
        asked = "SELECT question, round, shown, words FROM halls WHERE code=?"
        found = self._read(asked, code)
        return State(*found[0]) if found else None

    def enter(self, code: str, browser: str, ticket: str = "", came_from: int = 0) -> str:
        """The name of a browser in a hall, the same each time; "" where there is no such hall.

        A phone that is in stays, and the QR code's ticket skips the line of those who type letters.

        Raises:
            NotYet: It may be tried again: letters have to wait, the door is locked, or all is full.
        """
        with self._changing() as file:
            there = file.execute("SELECT salt, rule FROM halls WHERE code=?", [code]).fetchone()
            if there is None:
                rates.wait_for_turn(file, came_from)
                rates.note(file, rates.WRONG, came_from)
                return ""
            salt, rule = there
            phone, known = _hidden(browser, salt), "SELECT 1 FROM phones WHERE code=? AND phone=?"
            if not file.execute(known, [code, phone]).fetchone():
                if ticket != _hidden(TICKET, salt):
                    rates.wait_for_turn(file, came_from)
                rates.join(file, code, rule, came_from)
                file.execute("INSERT INTO phones VALUES (?, ?, ?)", [code, phone, time.time()])
            return phone

    def crowd(self, code: str) -> Crowd:
        """The most who joined from one network within the last minute."""
        found = self._read(
            "SELECT COUNT(at), COALESCE(MAX(at)-MIN(at), 0), rule FROM halls LEFT JOIN counted "
            "ON counted.code=halls.code AND ABS(?-at)<=? WHERE halls.code=? "
            "GROUP BY origin ORDER BY 1 DESC LIMIT 1",
            *(time.time(), rates.MINUTE, code),
        )
        return Crowd(*found[0]) if found else Crowd(0, 0, "")

    def rule(self, lecture: Lecture, rule: Rule) -> None:
        """Lock the door for those who are not in yet, let all in, or neither."""
        asked = "UPDATE halls SET rule=? WHERE code=? AND key=?"
        self._change(asked, rule, lecture.code, _digest(lecture.key))

    def seen(self, code: str, phone: str) -> None:
        """Note that a phone is still here."""
        asked = "UPDATE phones SET seen=? WHERE code=? AND phone=?"
        self._change(asked, time.time(), code, phone)

    def vote(self, code: str, phone: str, asked: State, answer: str) -> bool:
        """Take a phone's first answer to what is asked; False where that is over, or it has one."""
        taken = self._change(
            "INSERT OR IGNORE INTO votes SELECT halls.code, question, round, phone, ? "
            "FROM halls JOIN phones ON phones.code=halls.code AND phone=? "
            "WHERE halls.code=? AND question=? AND round=? AND shown='nothing'",
            *(answer[:MAX_ANSWER], phone, code, asked.question, asked.round),
        )
        return taken == 1

    def ask(self, lecture: Lecture, state: State) -> bool:
        """Move a hall to another question, another round, or show what was answered."""
        before = self.state(lecture.code)
        try:
            with self._changing() as file:
                moved = file.execute(
                    "UPDATE halls SET question=?, round=?, shown=?, words=?, used=used+1 "
                    "WHERE code=? AND key=?",
                    [*state, lecture.code, _digest(lecture.key)],
                )
                if moved.rowcount:
                    self._post(lecture.code, state)
        except StoreError:
            if before and self.owns(lecture):  # nothing was written: phones must not move on
                with suppress(OSError):
                    self._post(lecture.code, before)
            raise
        return moved.rowcount == 1

    def notice(self, code: str) -> str:
        """The file in `notices` that says what a hall is asked, as JSON."""
        return self._name(code, NOTICE)

    def ticket(self, code: str) -> str:
        """What the QR code says besides the four letters: nobody guesses it."""
        return self._name(code, TICKET)

    def posted(self, code: str, state: State) -> tuple[int | str, ...]:
        """What a phone loads: the question, and its mark, which a vote has to bring."""
        return *state, self._name(code, f"{state.question}-{state.round}")

    def _post(self, code: str, state: State) -> None:
        notice = self.notices / self.notice(code)
        (new := notice.with_suffix(".new")).write_text(json.dumps(self.posted(code, state)))
        new.replace(notice)

    def _name(self, code: str, what: str) -> str:
        """A name that is not guessed and differs from hall to hall."""
        found = self._read("SELECT salt FROM halls WHERE code=?", code)
        if not found:
            raise UserInputError("There is no such hall, or it was closed.")
        return _hidden(what, found[0][0])

    def tell(self, lecture: Lecture, question: int, truth: str) -> None:
        """Say what is true, once its view is seen: phones are told whether they were right."""
        self._change(
            "REPLACE INTO truths SELECT code, ?, ? FROM halls WHERE code=? AND key=?",
            *(question, truth, lecture.code, _digest(lecture.key)),
        )

    def truths(self, code: str) -> dict[int, str]:
        """What is true, by question, as far as the hall has been told."""
        return dict(self._read("SELECT question, truth FROM truths WHERE code=?", code))

    def owns(self, lecture: Lecture) -> bool:
        """Whether this is the lecturer of an open hall."""
        key = _digest(lecture.key)
        return bool(self._read("SELECT 1 FROM halls WHERE code=? AND key=?", lecture.code, key))

    def present(self, code: str) -> int:
        """How many phones are here now."""
        asked = "SELECT COUNT(*) FROM phones WHERE code=? AND ABS(seen-?)<?"
        return int(self._read(asked, code, time.time(), rates.PRESENT)[0][0])

    def answers(self, code: str, question: int, round_: int) -> Counter[str]:
        """How many phones gave each answer."""
        asked = "SELECT answer FROM votes WHERE code=? AND question=? AND round=?"
        return Counter(given for (given,) in self._read(asked, code, question, round_))

    def before_and_after(self, code: str) -> dict[int, list[tuple[str, str]]]:
        """By question, the two answers of each phone that gave both."""
        pairs: dict[int, list[tuple[str, str]]] = {}
        for question, before, after in self._read(
            "SELECT a.question, a.answer, b.answer FROM votes a JOIN votes b "
            "ON b.code=a.code AND b.question=a.question AND b.phone=a.phone AND b.round=2 "
            "WHERE a.code=? AND a.round=1 ORDER BY a.question, a.phone",
            code,
        ):
            pairs.setdefault(question, []).append((before, after))
        return pairs

    def of_phone(self, code: str, phone: str) -> dict[tuple[int, int], str]:
        """All answers of a phone, by question and round."""
        asked = "SELECT question, round, answer FROM votes WHERE code=? AND phone=?"
        return {(at, round_): given for at, round_, given in self._read(asked, code, phone)}

    def close(self, lecture: Lecture) -> None:
        """Forget a hall; to close it so that it can be undone, `ask` with "closed"."""
        if self.owns(lecture):
            self._delete([lecture.code])

    def _look_for_idle(self) -> None:
        """Forget what is idle now and then, also where nobody opens another hall."""
        with suppress(StoreError):
            self._forget_idle()
            self._empty_log()
        again = threading.Timer(SWEEP, self._look_for_idle)
        again.daemon = True
        again.start()

    def _forget_idle(self) -> None:
        now = time.monotonic()
        halls = self._read("SELECT code, used, shown FROM halls")
        known = self._used
        self._used = {
            code: known[code] if code in known and known[code][0] == used else (used, now)
            for code, used, _ in halls
        }
        most = {code: UNDO if shown == "closed" else IDLE for code, _, shown in halls}
        self._delete([code for code, (_, since) in self._used.items() if now - since >= most[code]])

    def _delete(self, codes: list[str]) -> None:
        if not codes:
            return
        with self._changing() as file:
            for code in codes:
                # None where another process was faster.
                for (salt,) in file.execute("SELECT salt FROM halls WHERE code=?", [code]):
                    (self.notices / _hidden(NOTICE, salt)).unlink(missing_ok=True)
                for table in ("halls", "phones", "truths", "votes", "counted"):
                    file.execute(f"DELETE FROM {table} WHERE code=?", [code])
        self._empty_log()

    def _empty_log(self) -> None:
        """It still holds what was deleted, and goes on to while another process reads it."""
        with self._file.alone() as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _hidden(what: str, salt: bytes) -> str:
    return hashlib.blake2b(what.encode(), key=salt, digest_size=12).hexdigest()


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
