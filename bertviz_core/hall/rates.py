"""How often something came from one network: one count for all replicas, in the hall's store.

A network is kept as two bytes of a digest, which some 65,000 share: never beside a phone.
"""

import hashlib
import sqlite3
import time
from ipaddress import IPv6Address, ip_address, ip_network

from bertviz_core.errors import UserInputError

MAX_PHONES = 500  # of a hall
PRESENT = 75.0  # seconds after which a phone that does not ask is no longer here
MAX_JOINS = 100  # phones of one network that a hall takes in a minute, unless all are let in
MINUTE = 60.0  # seconds for which a phone that joined counts
KEPT = 600.0  # seconds for which a wrong code counts
FREE = 20  # wrong codes of a network that cost nothing: slips of a hall that types
STEP = 0.25  # seconds between two looks, more by so many for each wrong code
MAX_PAUSE = 10.0
MAX_WRONG = 10_000  # wrong codes that are counted; the oldest is forgotten
WRONG = None  # instead of the code of a hall that was joined
TABLE = """CREATE TABLE IF NOT EXISTS counted (
    code TEXT REFERENCES halls ON DELETE CASCADE, origin INTEGER, at REAL);"""


class NotYet(UserInputError):
    """Somebody has to wait before the door; it may be tried again."""


def network(address: str) -> str:
    """What one guest has: an IPv4 address, or the 2**72 IPv6 addresses of a household."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return ""
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or ip_network((parsed, 56), strict=False))
    return str(parsed)


def origin(address: str) -> int:
    """Two bytes that stand for a network, and for thousands of others."""
    return int(hashlib.sha256(network(address).encode()).hexdigest()[:4], 16)


def count(file: sqlite3.Connection, code: str | None, came_from: int) -> tuple[int, float]:
    """How often a network joined a hall or tried a wrong code, and seconds since the last time."""
    now = time.time()
    file.execute(
        "DELETE FROM counted WHERE ABS(?-at)>CASE WHEN code IS NULL THEN ? ELSE ? END",
        [now, KEPT, MINUTE],  # of either side, since a clock may be set back
    )
    row: tuple[int, float] = file.execute(
        "SELECT COUNT(*), ABS(?-COALESCE(MAX(at), 0)) FROM counted WHERE code IS ? AND origin=?",
        [now, code, came_from],
    ).fetchone()
    return row


def note(file: sqlite3.Connection, code: str | None, came_from: int) -> None:
    """Count one more."""
    file.execute("INSERT INTO counted VALUES (?, ?, ?)", [code, came_from, time.time()])
    file.execute(
        "DELETE FROM counted WHERE code IS NULL AND rowid<=(SELECT MAX(rowid) FROM counted)-?",
        [MAX_WRONG],
    )


def pause(file: sqlite3.Connection, came_from: int) -> float:
    """Seconds until letters are looked at: the later, the more wrong ones came from there."""
    wrong, since = count(file, WRONG, came_from)
    return min(MAX_PAUSE, STEP * (wrong - FREE)) - since


def wait_for_turn(file: sqlite3.Connection, came_from: int) -> None:
    """Refuse letters whose turn has not come."""
    if pause(file, came_from) > 0:
        raise NotYet(
            "Many wrong codes came from your network. The QR code on the screen lets you in "
            "at once; letters wait for their turn."
        )


def join(file: sqlite3.Connection, code: str, rule: str, came_from: int) -> None:
    """Count a new phone, if it may come in; a full hall forgets one gone without a vote for it."""
    if rule == "locked":
        raise NotYet("The lecturer has locked the door of this hall.")
    joined, _ = count(file, code, came_from)
    if joined >= MAX_JOINS and rule != "all":
        raise NotYet(f"{joined} phones of your network came within a minute; the others wait.")
    (others,) = file.execute("SELECT COUNT(*) FROM phones WHERE code=?", [code]).fetchone()
    # One alone, the one that asked longest ago: where a clock was set, all seem to have gone.
    gone = (
        "DELETE FROM phones WHERE code=:code AND phone=(SELECT phone FROM phones WHERE code=:code "
        "AND ABS(:now-seen)>:present AND phone NOT IN (SELECT phone FROM votes WHERE code=:code) "
        "ORDER BY ABS(:now-seen) DESC LIMIT 1)"
    )
    is_full = others >= MAX_PHONES
    values = {"code": code, "now": time.time(), "present": PRESENT}
    if is_full and not file.execute(gone, values).rowcount:
        raise NotYet(f"The hall is full: it has room for {MAX_PHONES} phones.")
    note(file, code, came_from)
