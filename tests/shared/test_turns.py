"""A queue of threads: first come, first served; all get in; whoever is not wanted leaves it."""

import threading
import time

import pytest

from bertviz_core.shared.turns import FairQueue, Waiter, waiter_here
from tests.waiting import held, wait_for, waiting


class Left(BaseException):
    """Like Streamlit's own signal, which ends a run that is not wanted any more."""


def ask(
    queue: FairQueue,
    name: str,
    served: list[str],
    places: int | None = None,
    *,
    key: object = None,
    waiter: Waiter | None = None,
) -> threading.Thread:
    """A thread that asks for a turn, in which it is alone; until so many places are waiting."""

    def run() -> None:
        waiter_here.set(waiter or Waiter())
        try:
            with queue.turn(key):
                before = len(served)
                time.sleep(0.002)
                served.append(name if len(served) == before else "two at once")
        except Left:
            served.append(f"{name} left")

    thread = threading.Thread(target=run)
    thread.start()
    wait_for(lambda: places in (None, waiting(queue)))
    return thread


def threads_in(queue: FairQueue) -> int:
    return sum(len(place.turns) for place in queue._places)


def test_who_comes_back_at_once_does_not_jump_ahead() -> None:
    """A job takes turn after turn; whoever waits has one between two of them."""
    queue, served = FairQueue(), []
    begun = threading.Event()

    def job() -> None:
        for batch in range(4):
            with queue.turn():
                served.append(f"batch {batch}")
                if batch == 1:
                    begun.set()
                    wait_for(lambda: waiting(queue) == 2)

    thread = threading.Thread(target=job)
    thread.start()
    assert begun.wait(20)
    viewers = [ask(queue, "viewer", served) for _ in range(2)]
    for one in (thread, *viewers):
        one.join()
    assert served == ["batch 0", "batch 1", "viewer", "viewer", "batch 2", "batch 3"]


def test_first_come_first_served_and_nobody_is_turned_away() -> None:
    queue, served = FairQueue(), []
    with held(queue):
        threads = [ask(queue, str(number), served, number + 1) for number in range(130)]
    for thread in threads:
        thread.join()
    assert served == [str(number) for number in range(130)]


def test_equal_work_takes_one_place_and_its_turns_follow_one_another() -> None:
    queue, served = FairQueue(), []
    with held(queue):
        threads = [ask(queue, name, served, n, key=(name, [1])) for n, name in ((1, "a"), (2, "b"))]
        threads += [ask(queue, "a", served, key=("a", [1])) for _ in range(3)]
        wait_for(lambda: threads_in(queue) == 6)
        assert waiting(queue) == 2
    for thread in threads:
        thread.join()
    assert served == ["a", "a", "a", "a", "b"]


def test_equal_work_that_comes_while_the_place_is_served_does_not_keep_it_in_front() -> None:
    queue, served = FairQueue(), []
    with queue.turn(key="a"):
        second = ask(queue, "second", served, key="a")
        wait_for(lambda: threads_in(queue) == 2)
        other = ask(queue, "other", served, 1)
    second.join()
    other.join()
    assert served == ["second", "other"]


@pytest.mark.parametrize("leaves", ["a", "c"])
def test_whoever_is_not_wanted_leaves_and_the_others_go_on(leaves: str) -> None:
    queue, served = FairQueue(), []
    gone = threading.Event()

    class Leaving(Waiter):
        def raise_if_cancelled(self) -> None:
            if gone.is_set():
                raise Left

    with held(queue) as let_go:
        threads = []
        for number, name in enumerate("abc", start=1):
            waiter = Leaving() if name == leaves else None
            threads.append(ask(queue, name, served, number, waiter=waiter))
        gone.set()
        wait_for(lambda: waiting(queue) == 2)
        assert served == [f"{leaves} left"]
        let_go()
        for thread in threads:
            thread.join()
    assert served[1:] == [name for name in "abc" if name != leaves]


def test_an_error_gives_the_turn_on() -> None:
    queue = FairQueue()
    with pytest.raises(ValueError, match="forward"), queue.turn(key="a"):
        raise ValueError("forward")
    with queue.turn(key="a"):
        assert queue.mine
        with queue.turn():  # part of the same turn
            assert queue.mine
        assert queue.mine
    assert not queue.mine
