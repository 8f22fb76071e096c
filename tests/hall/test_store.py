"""The halls of a server: who votes, how often, and what stays of it."""

import shutil
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bertviz_core.errors import UserInputError
from bertviz_core.hall import store
from bertviz_core.hall.store import Halls, HallState, Lecture, StoreError

ASKED = HallState(0, 1)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def halls(tmp_path: Path) -> Halls:
    return Halls(tmp_path / "cache" / "halls.sqlite")


def test_a_question_before_and_after(halls: Halls) -> None:
    lecture = halls.open()
    assert halls.state(lecture.code) == HallState(0, 1)
    asked = HallState(3, 1)
    assert halls.ask(lecture, asked)
    assert halls.state(lecture.code) == asked
    first, second = (halls.enter(lecture.code, browser) for browser in ("one", "two"))
    assert halls.enter(lecture.code, "one") == first != second
    assert halls.present(lecture.code) == 2
    assert halls.vote(lecture.code, first, *asked[:2], "true")
    assert halls.vote(lecture.code, second, *asked[:2], "false")
    assert not halls.vote(lecture.code, first, *asked[:2], "false")  # one vote a phone
    assert halls.of_phone(lecture.code, first) == {(3, 1): "true"}
    assert halls.answers(lecture.code, 3, 1) == {"true": 1, "false": 1}
    assert halls.ask(lecture, HallState(3, 1, "answers"))
    third = halls.enter(lecture.code, "three")
    assert not halls.vote(lecture.code, third, *asked[:2], "true")  # it would have seen the others
    again = HallState(3, 2)
    assert halls.ask(lecture, again)
    assert not halls.vote(lecture.code, third, *asked[:2], "true")
    assert all(
        halls.vote(lecture.code, phone, *again[:2], "false") for phone in (first, second, third)
    )
    pairs = halls.before_and_after(lecture.code)
    assert {question: sorted(given) for question, given in pairs.items()} == {
        3: [("false", "false"), ("true", "false")]
    }
    assert halls.of_phone(lecture.code, first) == {(3, 1): "true", (3, 2): "false"}


def test_a_phone_and_a_hall_have_other_names_in_the_next_hall(halls: Halls) -> None:
    """Nobody who reads the file follows a phone from talk to talk."""
    codes = halls.open().code, halls.open().code
    for names in ([halls.enter(code, "one") for code in codes], [*map(halls.ticket, codes)]):
        assert names[0] != names[1]


def test_only_the_lecturer_moves_a_hall(halls: Halls) -> None:
    lecture, other = halls.open(), halls.open()
    assert not halls.ask(Lecture(lecture.code, other.key), HallState(2, 1))
    halls.close(Lecture(lecture.code, other.key))
    halls.tell(Lecture(lecture.code, other.key), 1, "true")
    assert halls.state(lecture.code) == HallState(0, 1)
    assert halls.truths(lecture.code) == {}
    with pytest.raises(UserInputError):
        halls.notice("AEIO")


def test_nothing_stays_of_a_closed_hall(halls: Halls, tmp_path: Path) -> None:
    lecture, kept = halls.open(), halls.open()
    for hall in (lecture, kept):
        phone = halls.enter(hall.code, "one")
        halls.vote(hall.code, phone, *ASKED[:2], f"an answer in {hall.code}")
    halls.close(lecture)
    assert halls.state(lecture.code) is None
    files = b"".join(path.read_bytes() for path in _files(tmp_path))
    assert f"an answer in {lecture.code}".encode() not in files
    assert f"an answer in {kept.code}".encode() in files
    assert [file.name for file in halls.notices.iterdir()] == [halls.notice(kept.code)]


def test_an_idle_hall_ends(halls: Halls, monkeypatch: pytest.MonkeyPatch) -> None:
    lecture, now, real = halls.open(), time.monotonic(), time.time()
    halls._forget_idle()
    monkeypatch.setattr(store.time, "time", lambda: real + 2 * store.MAX_IDLE)  # the clock is set
    monkeypatch.setattr(store.time, "monotonic", lambda: now + 0.9 * store.MAX_IDLE)
    halls._forget_idle()
    assert halls.ask(lecture, HallState(1))
    monkeypatch.setattr(store.time, "monotonic", lambda: now + 1.8 * store.MAX_IDLE)
    halls._forget_idle()
    assert halls.owns(lecture), "its lecturer has asked since"
    monkeypatch.setattr(store.time, "monotonic", lambda: now + 3 * store.MAX_IDLE)
    halls._forget_idle()
    assert not halls.owns(lecture)
    assert not [*halls.notices.iterdir()]


def test_a_hall_that_a_server_left_open_ends_by_the_time_of_day(
    halls: Halls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it is known to be in use: whoever starts anew within three hours goes on with it."""
    lecture, real, now = halls.open(), time.time(), time.monotonic()
    path = tmp_path / "cache" / "halls.sqlite"
    notice = halls.notices / halls.notice(lecture.code)
    for left in ("0" * 24, f"{notice.name}.0123", "_0123.unfinished"):
        (halls.notices / left).write_text("[]")
    monkeypatch.setattr(store.time, "time", lambda: real + 0.9 * store.MAX_IDLE)
    again = Halls(path)
    assert again.owns(lecture)
    assert [*halls.notices.iterdir()] == [notice]
    monkeypatch.setattr(store.time, "monotonic", lambda: now + 0.2 * store.MAX_IDLE)
    again._forget_idle()
    assert not again.owns(lecture), "0.9 before it started, and 0.2 since"
    lecture = again.open()
    monkeypatch.setattr(store.time, "time", lambda: real - 1e6)  # the clock was set back
    assert Halls(path).owns(lecture)
    monkeypatch.setattr(store.time, "time", lambda: real + 2 * store.MAX_IDLE)
    assert not Halls(path).owns(lecture)
    assert not [*halls.notices.iterdir()]


def test_a_question_that_cannot_be_written_leaves_nothing(
    halls: Halls, monkeypatch: pytest.MonkeyPatch
) -> None:
    lecture = halls.open()

    def full(path: Path, text: str) -> None:
        path.write_bytes(text[:3].encode())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(StoreError, match="No space left"):
        halls.ask(lecture, HallState(3, 1))
    assert [path.name for path in halls.notices.iterdir()] == [halls.notice(lecture.code)]
    assert halls.state(lecture.code) == ASKED


def test_two_tabs_that_ask_while_a_third_closes_leave_nothing(halls: Halls) -> None:
    for _ in range(20):
        lecture = halls.open()
        with ThreadPoolExecutor(3) as pool:
            asking = [pool.submit(halls.ask, lecture, HallState(n)) for n in range(1, 20)]
            pool.submit(halls.close, lecture).result()
            assert all(isinstance(one.result(), bool) for one in asking)
        assert not [*halls.notices.iterdir()]


@pytest.mark.parametrize(("stop", "answer"), [(10**30, "true"), (1, "\ud800")])
def test_what_no_file_can_hold_is_one_sentence(halls: Halls, stop: int, answer: str) -> None:
    lecture = halls.open()
    phone = halls.enter(lecture.code, "one")
    with pytest.raises(StoreError):
        halls.vote(lecture.code, phone, stop, 1, answer)
    assert halls.ask(lecture, HallState(1))


def test_two_replicas_share_a_hall(tmp_path: Path) -> None:
    """Two files open, as in two processes, and votes from many threads: none lost or doubled."""
    path = tmp_path / "halls.sqlite"
    replicas = [Halls(path), Halls(path)]
    lecture = replicas[0].open()
    asked = HallState(0, 1)

    def vote(number: int) -> None:
        for replica in replicas:  # the same phone on both
            phone = replica.enter(lecture.code, str(number))
            replica.vote(lecture.code, phone, *asked[:2], "true")

    threads = [threading.Thread(target=vote, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replicas[1].answers(lecture.code, 0, 1) == {"true": 40}


def test_a_store_that_fails_says_why_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another process holds it, and after its folder was lost and put back."""
    monkeypatch.setattr(store, "BUSY", 0.1)
    halls = Halls(tmp_path / "kept" / "halls.sqlite")
    lecture = halls.open()
    assert halls.ask(lecture, HallState(2, 1))
    halls._read("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copytree(tmp_path / "kept", tmp_path / "aside")
    other = sqlite3.connect(tmp_path / "kept" / "halls.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for _ in range(2):
        with pytest.raises(StoreError, match="locked") as caught:
            halls.ask(lecture, HallState(3, 1))
        assert str(tmp_path) not in str(caught.value)
    other.close()
    halls._file.close()  # as a restart does
    shutil.rmtree(tmp_path / "kept")
    shutil.copytree(tmp_path / "aside", tmp_path / "kept")
    assert halls.state(lecture.code) == HallState(2, 1)
    assert halls.ask(lecture, HallState(3, 1))


def test_a_store_of_another_version_is_made_anew(halls: Halls, tmp_path: Path) -> None:
    kept = tmp_path / "cache" / "halls.sqlite"
    code = halls.open().code
    assert Halls(kept).state(code)
    with sqlite3.connect(kept) as other:
        other.executescript("PRAGMA user_version = 1; ALTER TABLE votes RENAME TO ballots;")
    again = Halls(kept)
    assert again.state(code) is None
    lecture = again.open()
    assert again.ask(lecture, HallState(3, 1))
    assert again.vote(lecture.code, again.enter(lecture.code, "one"), 3, 1, "true")
    assert Halls(kept).answers(lecture.code, 3, 1) == {"true": 1}


def test_a_deleted_store_is_made_anew_for_the_next_hall(halls: Halls, tmp_path: Path) -> None:
    halls.open()
    shutil.rmtree(tmp_path / "cache")
    lecture = halls.open()
    assert Halls(tmp_path / "cache" / "halls.sqlite").owns(lecture)


def test_nothing_stays_of_an_idle_hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody opens another hall, and another process reads the log as it is emptied."""
    path = tmp_path / "halls.sqlite"
    monkeypatch.setattr(store, "SWEEP", 0.05)
    halls, other = Halls(path), sqlite3.connect(path, isolation_level=None)
    lecture = halls.open()
    halls.vote(lecture.code, halls.enter(lecture.code, "one"), *ASKED[:2], "an answer")
    other.execute("BEGIN")
    other.execute("SELECT * FROM votes").fetchall()
    monkeypatch.setattr(store, "MAX_IDLE", 0.0)
    deadline = time.monotonic() + 20
    while halls._read("SELECT 1 FROM halls"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    other.execute("COMMIT")
    while any(b"an answer" in file.read_bytes() for file in _files(tmp_path)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}
    assert not [*halls.notices.iterdir()]
