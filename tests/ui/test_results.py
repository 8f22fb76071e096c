"""One pass of the encoder at a time, given up by whoever moved on, and each computed once."""

import threading
import time
from pathlib import Path

import pytest

from bertviz_core.encoder import Encoder
from bertviz_core.ui import results
from bertviz_core.ui.results import encoder_result, gate, library_doing, models


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
    monkeypatch.setattr(results.st, "session_state", state)
    return state


def test_passes_do_not_overlap(session: Session) -> None:
    inside, most = 0, 0
    lock = threading.Lock()

    def forward() -> None:
        nonlocal inside, most
        with gate():
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
            with gate():
                computed.append("stale")
        except Replaced:
            gave_up.set()

    with gate():
        waiting = threading.Thread(target=stale)
        waiting.start()
        while not session.looks:
            time.sleep(0.01)
        session.replaced.set()
        assert gave_up.wait(5), "the waiting run never looked at its session"
        waiting.join()
    session.replaced.clear()
    assert computed == []
    with gate():
        computed.append("next")
    assert computed == ["next"]


def test_an_error_inside_opens_the_gate(session: Session) -> None:
    with pytest.raises(RuntimeError, match="forward"), gate():
        raise RuntimeError("forward")
    with gate():
        assert session.looks == 0


def test_the_gate_is_not_passed_twice(session: Session) -> None:
    with gate(), pytest.raises(RuntimeError, match="not passed twice"), gate():
        pass


@pytest.fixture
def tiny_model(fresh_caches: None, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("BERTVIZ_MODELS", f"tiny={tiny_folder}")
    return "tiny"


def test_a_result_is_computed_once_however_many_ask(tiny_model: str) -> None:
    runs = []

    @encoder_result(max_entries=4)
    def count_layers(encoder: Encoder, times: int, _given: list[int]) -> int:
        runs.append((times, _given))
        time.sleep(0.05)
        return times * encoder.bert.num_hidden_layers

    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(count_layers("tiny", 3, [1])))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [6] * 4
    assert count_layers("tiny", 3, [2]) == 6  # an argument with an underscore is no part of the key
    assert runs == [(3, [1])]
    assert count_layers("tiny", 4, [2]) == 8
    assert runs == [(3, [1]), (4, [2])]


def test_a_result_that_is_there_does_not_wait_at_the_gate(tiny_model: str) -> None:
    @encoder_result(max_entries=4)
    def double(encoder: Encoder, number: int) -> int:
        return 2 * number

    assert double("tiny", 4) == 8
    with gate():
        assert double("tiny", 4) == 8


def test_the_library_is_announced_until_it_is_loaded(tiny_model: str) -> None:
    @encoder_result(max_entries=4, library=True)
    def layers(encoder: Encoder) -> int:
        return len(encoder.model.encoder.layer)

    announced = "Loading the library's own model, once, then: running it …"
    assert library_doing("tiny", "Running it …") == announced
    assert not models.encoder("tiny").model_in_memory
    assert library_doing("tiny", "Running it …") == announced
    assert layers("tiny") == 2
    assert models.has_library_model("tiny")
    assert library_doing("tiny", "Running it …") == "Running it …"
