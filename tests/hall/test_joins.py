"""Who comes into halls: their bounds, and those of one address."""

from pathlib import Path

import pytest

from bertviz_core.errors import UserInputError
from bertviz_core.hall import joins, store
from bertviz_core.hall.joins import NotYet, origin
from bertviz_core.hall.store import Halls, State


@pytest.fixture
def halls(tmp_path: Path) -> Halls:
    return Halls(tmp_path / "cache" / "halls.sqlite")


def test_bounds(halls: Halls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joins, "MOST_PHONES", 2)
    lecture = halls.open()
    one, *_ = [halls.phone(lecture.code, browser) for browser in ("one", "two", "one")]
    assert halls.vote(lecture.code, one, State(0, 1), "true")
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
