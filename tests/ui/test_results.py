"""One pass of the encoder at a time, given up by whoever moved on, and each computed once."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bertviz_core import turns
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.turns import ServerBusyError
from bertviz_core.ui import jobs, results
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.results import encoder_result, gate, library_doing, models, queue
from tests.waiting import held, wait_for


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


def test_equal_results_take_one_place_and_are_computed_once(tiny_model: str) -> None:
    runs = []

    @encoder_result(max_entries=4)
    def count_layers(encoder: Encoder, times: int, _given: list[int]) -> int:
        runs.append((times, _given))
        time.sleep(0.05)
        return times * encoder.bert.num_hidden_layers

    answers: list[int] = []

    def ask(times: int, given: int) -> threading.Thread:
        thread = threading.Thread(
            target=lambda: answers.append(count_layers("tiny", times, [given]))
        )
        thread.start()
        return thread

    with held(queue):
        threads = [ask(3, 1)]
        wait_for(lambda: queue.waiting == 1)
        threads.append(ask(4, 1))
        wait_for(lambda: queue.waiting == 2)
        threads += [ask(3, 1) for _ in range(3)]
        wait_for(lambda: queue._places[1].here == 4)
        assert queue.waiting == 2
        assert not runs
    for thread in threads:
        thread.join()
    assert answers == [6, 6, 6, 6, 8]
    assert runs == [(3, [1]), (4, [1])]
    assert count_layers("tiny", 3, [2]) == 6  # an argument with an underscore is no part of the key
    assert runs == [(3, [1]), (4, [1])]


def test_equal_results_are_joined_while_they_are_computed(tiny_model: str) -> None:
    begun, go_on, runs = threading.Event(), threading.Event(), []

    @encoder_result(max_entries=4)
    def slow(encoder: Encoder, number: int) -> int:
        runs.append(number)
        begun.set()
        assert go_on.wait(20)
        return 2 * number

    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(slow("tiny", 4))) for _ in range(3)]
    threads[0].start()
    assert begun.wait(20)
    for thread in threads[1:]:
        thread.start()
    time.sleep(0.1)
    assert queue.waiting == 0
    go_on.set()
    for thread in threads:
        thread.join()
    assert answers == [8, 8, 8]
    assert runs == [4]


def test_a_message_for_the_user_reaches_all_who_asked_for_the_same(tiny_model: str) -> None:
    runs = []

    @encoder_result(max_entries=4)
    def refuse(encoder: Encoder, number: int) -> int:
        runs.append(number)
        raise UserInputError("Type a word.")

    errors: list[str] = []

    def ask() -> None:
        try:
            refuse("tiny", 1)
        except UserInputError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    with held(queue):
        for thread in threads:
            thread.start()
        wait_for(lambda: queue.waiting == 1)
    for thread in threads:
        thread.join()
    assert errors == ["Type a word."] * 3
    assert queue.waiting == 0


def test_a_result_that_is_there_does_not_wait_at_the_gate(tiny_model: str) -> None:
    @encoder_result(max_entries=4)
    def double(encoder: Encoder, number: int) -> int:
        return 2 * number

    assert double("tiny", 4) == 8
    with held(queue):
        assert double("tiny", 4) == 8


def test_results_are_not_asked_for_inside_one_another(tiny_model: str) -> None:
    @encoder_result(max_entries=4)
    def inner(encoder: Encoder, number: int) -> int:
        return 2 * number

    @encoder_result(max_entries=4)
    def outer(encoder: Encoder, number: int) -> int:
        return inner("tiny", number) + 1

    with pytest.raises(RuntimeError, match="not passed twice"):
        outer("tiny", 4)
    assert queue.waiting == 0


def test_more_than_the_line_holds_are_told_so(
    tiny_model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "most", 1)

    @encoder_result(max_entries=4)
    def double(encoder: Encoder, number: int) -> int:
        return 2 * number

    answers: list[int] = []
    with held(queue):
        waiting = threading.Thread(target=lambda: answers.append(double("tiny", 1)))
        waiting.start()
        wait_for(lambda: queue.waiting == 1)
        with pytest.raises(ServerBusyError, match="1 requests are waiting"):
            double("tiny", 2)
        begun = jobs.begin(("test", "begun"), "The work", turn_of(bounded=False))
        refused = jobs.begin(("test", "refused"), "The work", turn_of(bounded=True))
        wait_for(lambda: refused.state == "failed")
        assert "requests are waiting" in refused.message
        assert begun.state == "running"
    waiting.join()
    wait_for(lambda: begun.state == "done")
    assert answers == [2]
    jobs.forget(refused.key)


def turn_of(*, bounded: bool) -> Callable[[Job], None]:
    """The work of a job that takes one turn."""

    def work(job: Job) -> None:
        with gate(job, bounded=bounded):
            pass

    return work


def test_a_job_that_nobody_watches_leaves_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.05)
    with held(queue):
        job = jobs.begin(("test", "job"), "The work", turn_of(bounded=True))
        wait_for(lambda: job.state == "abandoned")
        assert queue.waiting == 0


def test_a_job_says_how_many_are_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "QUIET", 0.0)
    with held(queue):
        job = jobs.begin(("test", "job"), "The work", turn_of(bounded=True))
        wait_for(lambda: job.before == 1)
        assert jobs.said(job, lambda job: "Working") == "Working (1 before you)"
    wait_for(lambda: job.state == "done")
    assert job.before == 0
    assert jobs.said(job, lambda job: "Working") == "Working"


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
