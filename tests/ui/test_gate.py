"""One forward pass at a time, and a waiting run that gives up when a newer one replaced it."""

import threading
import time

import pytest

from bertviz_core.ui import gate


class Replaced(BaseException):
    """Stands for Streamlit's own signal, which ends a run at a look at the session state."""


class Session:
    """A session state that ends the run once it was replaced."""

    def __init__(self) -> None:
        self.replaced = threading.Event()
        self.looks = 0

    def get(self, key: str) -> None:
        self.looks += 1
        if self.replaced.is_set():
            raise Replaced


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    state = Session()
    monkeypatch.setattr(gate.st, "session_state", state)
    return state


def test_passes_do_not_overlap(session: Session) -> None:
    inside, most = 0, 0
    lock = threading.Lock()

    def forward() -> None:
        nonlocal inside, most
        with gate.forward_gate():
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.02)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=forward) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_replaced_run_gives_up_and_computes_nothing(session: Session) -> None:
    computed = []
    gave_up = threading.Event()

    def stale() -> None:
        try:
            with gate.forward_gate():
                computed.append("stale")
        except Replaced:
            gave_up.set()

    with gate.forward_gate():
        waiting = threading.Thread(target=stale)
        waiting.start()
        while not session.looks:
            time.sleep(0.01)
        session.replaced.set()
        assert gave_up.wait(5), "the waiting run never looked at its session"
        waiting.join()
    session.replaced.clear()
    assert computed == []
    with gate.forward_gate():
        computed.append("next")
    assert computed == ["next"]


def test_an_error_inside_opens_the_gate(session: Session) -> None:
    with pytest.raises(RuntimeError, match="forward"), gate.forward_gate():
        raise RuntimeError("forward")
    with gate.forward_gate():
        assert session.looks == 0
