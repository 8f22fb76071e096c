"""Who may try a code."""

import pytest

from bertviz_core.hall import door


def test_ten_wrong_codes_close_the_door_for_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now, slept = 1_000.0, list[float]()
    monkeypatch.setattr(door.time, "monotonic", lambda: now)
    there = door.Door(slept.append)
    for count in range(door.MOST_WRONG):
        assert not there.closed("192.0.2.7"), count
        there.wrong("192.0.2.7")
    assert slept == [door.WRONG] * door.MOST_WRONG
    assert there.closed("192.0.2.7")
    assert not there.closed("192.0.2.8")
    now += door.CLOSED
    assert not there.closed("192.0.2.7")
    there.wrong("192.0.2.8")
    assert list(there._wrong) == ["192.0.2.8"]  # no address is kept longer
