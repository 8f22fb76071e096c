"""How many came from one address: bounds, and what the lecturer sees and says of it.

An address is kept as two bytes of its digest, which some 65,000 addresses share: of a hall's opener
while it is open, and of those who join until somebody comes a minute later, without their phone.
"""

import hashlib
import sqlite3
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple

from bertviz_core.errors import UserInputError
from bertviz_core.hall.door import network

MOST_PHONES = 500  # of a hall
MOST_OPEN = 5  # halls of one address
MOST_JOINS = 100  # phones of one address that a hall takes in a minute, unless all are let in
MINUTE = 60.0
PRESENT = 75.0  # seconds after which a phone that does not ask is no longer here
Rule = Literal["", "all", "locked"]  # what the lecturer says of those who are not in yet
TABLES = """
CREATE TABLE IF NOT EXISTS doors (code TEXT PRIMARY KEY, opener INTEGER, rule TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS joins (code TEXT, origin INTEGER, at REAL);
"""


class NotYet(UserInputError):
    """Somebody has to wait before the door; it may be tried again."""


class Crowd(NamedTuple):
    """The most who joined from one address within a minute, and what the lecturer says of it."""

    joined: int
    seconds: float
    rule: Rule


def origin(address: str) -> int:
    """Two bytes that stand for a network, and for thousands of others."""
    return int(hashlib.sha256(network(address).encode()).hexdigest()[:4], 16)


def begin(file: sqlite3.Connection, code: str, opener: int) -> None:
    """Note who opens a hall."""
    (theirs,) = file.execute("SELECT COUNT(*) FROM doors WHERE opener=?", [opener]).fetchone()
    if theirs >= MOST_OPEN:
        raise UserInputError(f"{MOST_OPEN} halls are open from your address; close one first.")
    file.execute("INSERT INTO doors VALUES (?, ?, '')", [code, opener])


def join(file: sqlite3.Connection, code: str, phone: str, came_from: int) -> None:
    """Take a phone in; one that is in stays, and others may have to wait."""
    now = time.time()
    again = "UPDATE phones SET seen=? WHERE code=? AND phone=?"
    if file.execute(again, [now, code, phone]).rowcount:
        return
    rule = file.execute("SELECT rule FROM doors WHERE code=?", [code]).fetchone()
    if rule == ("locked",):
        raise NotYet("The lecturer has locked the door of this hall.")
    file.execute("DELETE FROM joins WHERE ABS(?-at)>?", [now, MINUTE])
    counted = "SELECT COUNT(*) FROM joins WHERE code=? AND origin=?"
    (joined,) = file.execute(counted, [code, came_from]).fetchone()
    if joined >= MOST_JOINS and rule != ("all",):
        raise NotYet(f"{joined} phones of your network came within a minute; the others wait.")
    _make_room(file, code, now)
    file.execute("INSERT INTO joins VALUES (?, ?, ?)", [code, came_from, now])
    file.execute("INSERT INTO phones VALUES (?, ?, ?)", [code, phone, now])


def _make_room(file: sqlite3.Connection, code: str, now: float) -> None:
    """In a full hall, phones that have gone without a vote are forgotten."""
    (others,) = file.execute("SELECT COUNT(*) FROM phones WHERE code=?", [code]).fetchone()
    gone = (
        "DELETE FROM phones WHERE code=? AND ABS(?-seen)>? "
        "AND phone NOT IN (SELECT phone FROM votes WHERE code=?)"
    )
    if others >= MOST_PHONES and not file.execute(gone, [code, now, PRESENT, code]).rowcount:
        raise NotYet(f"The hall is full: it has room for {MOST_PHONES} phones.")


class Joins:
    """What the lecturer sees at the door, and says."""

    def __init__(
        self,
        read: Callable[..., list[Any]],
        changing: Callable[[], AbstractContextManager[sqlite3.Connection]],
    ) -> None:
        self._read, self._changing = read, changing

    def crowd(self, code: str) -> Crowd:
        """The most who joined from one address within the last minute."""
        found = self._read(
            "SELECT COUNT(at), COALESCE(MAX(at)-MIN(at), 0), rule FROM doors LEFT JOIN joins "
            "ON joins.code=doors.code AND ABS(?-at)<=? WHERE doors.code=? "
            "GROUP BY origin ORDER BY 1 DESC LIMIT 1",
            *(time.time(), MINUTE, code),
        )
        return Crowd(*found[0]) if found else Crowd(0, 0, "")

    def rule(self, code: str, rule: Rule) -> None:
        """Lock the door for those who are not in yet, let all in, or neither."""
        with self._changing() as file:
            file.execute("UPDATE doors SET rule=? WHERE code=?", [rule, code])
