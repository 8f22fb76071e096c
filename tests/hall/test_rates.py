"""Who comes into halls, and how often from one network; counted in the store, over all replicas."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from bertviz_core.errors import UserInputError
from bertviz_core.hall import rates, store
from bertviz_core.hall.rates import NotYet, network, origin
from bertviz_core.hall.store import Halls
from tests.headless import ROOT


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time of day, as a test sets it."""
    clock = SimpleNamespace(now=1e9)
    monkeypatch.setattr(rates.time, "time", lambda: clock.now)
    return clock


@pytest.fixture
def replicas(tmp_path: Path) -> list[Halls]:
    return [Halls(tmp_path / "halls.sqlite") for _ in range(2)]


def pause(halls: Halls, came_from: int) -> float:
    with halls._changing() as file:
        return rates.pause(file, came_from)


def test_guessing_is_hopeless_and_right_codes_are_not_slowed(
    replicas: list[Halls], clock: SimpleNamespace
) -> None:
    lecture, here = replicas[0].open(), origin("192.0.2.7")
    known = replicas[0].enter(lecture.code, "known")
    waits, guesses, begun = list[float](), list[int](), clock.now
    for hour in (1, 2):
        guesses.append(0)
        while clock.now < begun + hour * 3600:
            hall = replicas[guesses[-1] % 2]
            started = clock.now
            while (left := pause(hall, here)) > 0:
                clock.now += max(left - rates.STEP, 0.05)  # one more may be forgotten meanwhile
            waits.append(clock.now - started)
            assert hall.enter("AEIO", "guesser", "", here) == ""
            guesses[-1] += 1
    assert waits[:50] == sorted(waits[:50])  # the longer the more
    assert max(waits) == pytest.approx(rates.MAX_PAUSE, abs=0.1)
    promised = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert f"{guesses[0]} wrong codes in the first hour and {guesses[1]} in each" in promised
    hall, code = replicas[1], lecture.code
    assert hall.enter("AEIO", "other", "", origin("192.0.2.8")) == ""
    with pytest.raises(NotYet):
        hall.enter(code, "types", "", here)
    assert hall.enter(code, "known", "", here) == known
    assert hall.enter(code, "scans", hall.ticket(code), here)
    clock.now += rates.MAX_PAUSE
    for number in range(50):  # a hall that types, behind the same address: one turn is enough
        assert hall.enter(code, f"types {number}", "", here)
    clock.now += rates.KEPT + 1
    hall.enter("AEIO", "other", "", origin("192.0.2.9"))
    kept = hall._read("SELECT origin FROM counted")
    assert kept == [(origin("192.0.2.9"),)]  # no network is kept longer


def test_a_household_is_one_network() -> None:
    assert network("2001:db8:0:1::2") == network("2001:db8:0:ff:9::")
    assert network("2001:db8:0:1::2") != network("2001:db8:0:101::2")
    assert network("::ffff:192.0.2.7") == "192.0.2.7"


def test_two_bytes_are_kept_of_a_network() -> None:
    kept = {origin(f"192.0.2.{number}") for number in range(256)}
    assert len(kept) > 250
    assert max(kept) < 2**16


def test_a_full_hall(
    replicas: list[Halls], clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates, "MAX_PHONES", 2)
    halls, lecture = replicas[0], replicas[0].open()
    one, two, again = [halls.enter(lecture.code, browser) for browser in ("one", "two", "one")]
    assert one == again
    assert halls.vote(lecture.code, one, 0, 1, "true")
    with pytest.raises(NotYet):
        halls.enter(lecture.code, "three")
    clock.now += rates.PRESENT + 1
    three = halls.enter(lecture.code, "three")  # in the place of one that has gone without a vote
    inside = {phone for (phone,) in halls._read("SELECT phone FROM phones")}
    assert inside == {one, three} != {one, two}


@pytest.mark.parametrize("jump", [3600, -3600, 86_400, -86_400])
def test_a_clock_that_is_set_empties_no_full_hall(
    replicas: list[Halls], clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, jump: int
) -> None:
    """One that comes takes the place of one, of those who have not asked since."""
    monkeypatch.setattr(rates, "MAX_PHONES", 20)
    halls, lecture = replicas[0], replicas[0].open()
    before = {halls.enter(lecture.code, f"{number}") for number in range(20)}
    clock.now += jump
    stays = {halls.enter(lecture.code, f"{number}") for number in range(5)}
    for come in range(1, 4):
        new = halls.enter(lecture.code, f"new {come}")
        inside = {phone for (phone,) in halls._read("SELECT phone FROM phones")}
        assert len(inside) == 20
        assert len(before & inside) == 20 - come
        assert {new, *stays} <= inside


def test_one_address_takes_neither_all_halls_nor_a_whole_hall(replicas: list[Halls]) -> None:
    here, there = origin("192.0.2.7"), origin("192.0.2.8")
    opened = [replicas[number % 2].open(here) for number in range(store.MAX_OPEN)]
    for replica in replicas:
        with pytest.raises(UserInputError):
            replica.open(here)
    replicas[1].open(there)
    replicas[1].close(opened.pop())
    lecture = replicas[0].open(here)

    def join(numbers: range, came_from: int = here) -> None:
        for number in numbers:
            assert replicas[number % 2].enter(lecture.code, f"{number}", "", came_from)

    join(range(rates.MAX_JOINS))
    with pytest.raises(NotYet):
        join(range(200, 201))
    join(range(9))  # those who are in stay
    join(range(300, 301), there)
    for replica in replicas:
        assert replica.crowd(lecture.code) == (rates.MAX_JOINS, "")
    replicas[0].set_rule(lecture, "all")
    join(range(200, 400))
    replicas[1].set_rule(lecture._replace(key="another"), "")
    assert replicas[0].crowd(lecture.code)[1] == "all"
    replicas[1].set_rule(lecture, "locked")
    for ticket in ("", replicas[1].ticket(lecture.code)):
        with pytest.raises(NotYet):
            replicas[0].enter(lecture.code, "new", ticket, there)
    join(range(300, 301), there)


def test_a_server_has_room_for_some_halls(replicas: list[Halls]) -> None:
    for opener in range(store.MAX_HALLS):
        replicas[0].open(opener)
    with pytest.raises(UserInputError):
        replicas[1].open(store.MAX_HALLS)
