"""Who may try a code."""

import pytest

from bertviz_core.hall import door
from tests.headless import ROOT


def test_guessing_is_hopeless_and_right_codes_are_not_slowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, there = 1_000.0, door.Door()
    monkeypatch.setattr(door.time, "monotonic", lambda: now)
    waits, guesses = list[float](), list[int]()
    for until in range(4_600, 11_801, 3_600):  # three hours
        guesses.append(0)
        while now < until:
            if wait := there.wait("192.0.2.7"):
                waits.append(wait)
                now += wait
            else:
                guesses[-1] += 1
    assert waits[:50] == sorted(waits[:50])  # the longer the more
    assert max(waits) == pytest.approx(door.LONGEST)
    promised = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert f"{guesses[0]} wrong codes in the first hour and {guesses[1]} in each" in promised
    assert not there.wait("192.0.2.8")
    now += door.LONGEST
    for _ in range(300):  # a hall that types, behind the same address
        assert not there.wait("192.0.2.7")
        there.right("192.0.2.7")
    assert not there.wait("192.0.2.7")
    assert there.wait("192.0.2.7")
    now += door.KEPT + 1
    there.wait("192.0.2.9")
    assert list(there._tries) == ["192.0.2.9"]  # no address is kept longer


def test_a_household_is_one_network() -> None:
    assert door.network("2001:db8:0:1::2") == door.network("2001:db8:0:ff:9::")
    assert door.network("2001:db8:0:1::2") != door.network("2001:db8:0:101::2")
    assert door.network("::ffff:192.0.2.7") == "192.0.2.7"
