"""The halls of a server: who votes, how often, and what stays of it."""

import sqlite3
import threading
import time
from pathlib import Path

import pytest

from bertviz_core.errors import UserInputError
from bertviz_core.hall import joins, store
from bertviz_core.hall.joins import NotYet, origin
from bertviz_core.hall.store import Halls, Lecture, State, StoreError

ASKED = State(0, 1)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def halls(tmp_path: Path) -> Halls:
    return Halls(tmp_path / "cache" / "halls.sqlite")


def test_a_question_before_and_after(halls: Halls) -> None:
    lecture = halls.open()
    assert halls.state(lecture.code) == State(0, 1)
    asked = State(3, 1)
    assert halls.ask(lecture, asked)
    assert halls.state(lecture.code) == asked
    first, second = (halls.phone(lecture.code, browser) for browser in ("one", "two"))
    assert halls.phone(lecture.code, "one") == first != second
    assert halls.present(lecture.code) == 2
    assert halls.vote(lecture.code, first, asked, "true")
    assert halls.vote(lecture.code, second, asked, "false")
    assert not halls.vote(lecture.code, first, asked, "false")  # one vote a phone
    assert halls.of_phone(lecture.code, first) == {(3, 1): "true"}
    assert halls.answers(lecture.code, 3, 1) == {"true": 1, "false": 1}
    assert halls.ask(lecture, State(3, 1, "answers"))
    third = halls.phone(lecture.code, "three")
    assert not halls.vote(lecture.code, third, asked, "true")  # it would have seen the others
    again = State(3, 2)
    assert halls.ask(lecture, again)
    assert not halls.vote(lecture.code, third, asked, "true")
    assert all(halls.vote(lecture.code, phone, again, "false") for phone in (first, second, third))
    pairs = halls.before_and_after(lecture.code)
    assert {question: sorted(given) for question, given in pairs.items()} == {
        3: [("false", "false"), ("true", "false")]
    }
    assert halls.of_phone(lecture.code, first) == {(3, 1): "true", (3, 2): "false"}


def test_only_the_lecturer_moves_a_hall(halls: Halls) -> None:
    lecture, other = halls.open(), halls.open()
    assert not halls.ask(Lecture(lecture.code, other.key), State(2, 1))
    halls.close(Lecture(lecture.code, other.key))
    halls.tell(Lecture(lecture.code, other.key), 1, "true")
    assert halls.state(lecture.code) == State(0, 1)
    assert halls.truths(lecture.code) == {}
    with pytest.raises(UserInputError):
        halls.phone("AEIO", "one")


def test_nothing_stays_of_a_closed_hall(halls: Halls, tmp_path: Path) -> None:
    lecture, kept = halls.open(), halls.open()
    for hall in (lecture, kept):
        phone = halls.phone(hall.code, "one")
        halls.vote(hall.code, phone, State(0, 1), f"an answer in {hall.code}")
    halls.close(lecture)
    assert halls.state(lecture.code) is None
    files = b"".join(path.read_bytes() for path in _files(tmp_path))
    assert f"an answer in {lecture.code}".encode() not in files
    assert f"an answer in {kept.code}".encode() in files
    assert [file.name for file in halls.notices.iterdir()] == [halls.notice(kept.code)]


def test_an_idle_hall_ends(halls: Halls, monkeypatch: pytest.MonkeyPatch) -> None:
    lecture = halls.open()
    now = store.time.time()
    monkeypatch.setattr(store.time, "time", lambda: now + store.IDLE + 1)
    assert halls.state(lecture.code) is None
    halls.open()
    assert not halls.owns(lecture)


def test_bounds(halls: Halls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joins, "MOST_PHONES", 2)
    lecture = halls.open()
    one, *_ = [halls.phone(lecture.code, browser) for browser in ("one", "two", "one")]
    assert halls.vote(lecture.code, one, ASKED, "true")
    with pytest.raises(NotYet):
        halls.phone(lecture.code, "three")
    now = store.time.time()
    monkeypatch.setattr(store.time, "time", lambda: now + joins.PRESENT + 1)
    halls.phone(lecture.code, "three")  # in the place of one that has gone without a vote
    assert [halls.admits(lecture.code, one, "") for one in ("one", "two")] == [True, False]
    for opener in range(1, store.MOST_HALLS):
        halls.open(opener)
    with pytest.raises(UserInputError):
        halls.open()


def test_one_address_takes_neither_all_halls_nor_a_whole_hall(tmp_path: Path) -> None:
    """Counted in the store, so over all replicas."""
    replicas = [Halls(tmp_path / "halls.sqlite") for _ in range(2)]
    here, there = origin("192.0.2.7"), origin("192.0.2.8")
    opened = [replicas[number % 2].open(here) for number in range(joins.MOST_OPEN)]
    for replica in replicas:
        with pytest.raises(UserInputError):
            replica.open(here)
    replicas[1].open(there)
    replicas[1].close(opened.pop())
    lecture = replicas[0].open(here)

    def join(numbers: range, came_from: int = here) -> None:
        for number in numbers:
            replicas[number % 2].phone(lecture.code, f"{number}", came_from)

    join(range(joins.MOST_JOINS))
    with pytest.raises(NotYet):
        join(range(200, 201))
    join(range(9))  # those who are in stay
    join(range(300, 301), there)
    for replica in replicas:
        joined, seconds, rule = replica.joins.crowd(lecture.code)
        assert (joined, rule) == (joins.MOST_JOINS, "")
        assert 0 < seconds < joins.MINUTE
    replicas[0].joins.rule(lecture.code, "all")
    join(range(200, 400))
    replicas[1].joins.rule(lecture.code, "locked")
    with pytest.raises(NotYet):
        join(range(401, 402), there)
    join(range(300, 301), there)
    assert replicas[0].admits(lecture.code, "new", replicas[1].ticket(lecture.code))
    assert not replicas[0].admits(lecture.code, "new", "")


def test_two_replicas_share_a_hall(tmp_path: Path) -> None:
    """Two files open, as in two processes, and votes from many threads: none lost or doubled."""
    path = tmp_path / "halls.sqlite"
    replicas = [Halls(path), Halls(path)]
    lecture = replicas[0].open()
    asked = State(0, 1)

    def vote(number: int) -> None:
        for replica in replicas:  # the same phone on both
            phone = replica.phone(lecture.code, str(number))
            replica.vote(lecture.code, phone, asked, "true")

    threads = [threading.Thread(target=vote, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replicas[1].answers(lecture.code, 0, 1) == {"true": 40}


@pytest.mark.parametrize("pragma", ["query_only=1", "max_page_count=1"])
def test_a_store_that_cannot_be_written_is_said(
    tmp_path: Path, pragma: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a disk that may only be read, and on a full one."""
    monkeypatch.setattr(joins, "MOST_PHONES", 1_000)
    monkeypatch.setattr(joins, "MOST_JOINS", 1_000)
    halls = Halls(tmp_path / "halls.sqlite")
    lecture = halls.open()
    halls._file.execute(f"PRAGMA {pragma}")

    def fill() -> None:
        for number in range(1_000):
            halls.vote(lecture.code, halls.phone(lecture.code, f"{number}"), ASKED, "true")

    with pytest.raises(StoreError, match="without votes"):
        fill()
    assert halls.state(lecture.code) == State(0, 1)


def test_two_replicas_forget_the_same_hall(tmp_path: Path) -> None:
    """Both have found it idle; the second must not stop looking."""
    path = tmp_path / "halls.sqlite"
    first, second = Halls(path), Halls(path)
    lecture = first.open()
    for replica in (first, second):
        replica._delete([lecture.code])
    assert not [*first.notices.iterdir()]


def test_no_folder_for_the_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError):
        Halls(tmp_path / "file" / "halls.sqlite")


def test_nothing_stays_of_an_idle_hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody opens another hall, and another process reads the log as it is emptied."""
    path = tmp_path / "halls.sqlite"
    monkeypatch.setattr(store, "SWEEP", 0.05)
    halls, other = Halls(path), sqlite3.connect(path, isolation_level=None)
    lecture = halls.open()
    halls.vote(lecture.code, halls.phone(lecture.code, "one"), ASKED, "an answer")
    other.execute("BEGIN")
    other.execute("SELECT * FROM votes").fetchall()
    now = store.time.time()
    monkeypatch.setattr(store.time, "time", lambda: now + store.IDLE + 1)
    deadline = time.monotonic() + 20
    while halls._read("SELECT 1 FROM halls"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    other.execute("COMMIT")
    while any(b"an answer" in file.read_bytes() for file in _files(tmp_path)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert {file.stat().st_mode & 0o077 for file in tmp_path.iterdir()} == {0}
    assert not [*halls.notices.iterdir()]
