"""Waiting for what another thread does."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bertviz_core.shared.turns import FairQueue


def wait_for(reached: Callable[[], bool]) -> None:
    """Look until it is so, for at most 20 seconds."""
    deadline = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < deadline, "waited for 20 seconds"
        time.sleep(0.005)


def waiting(queue: FairQueue) -> int:
    """How many places wait; equal work has one."""
    return max(len(queue._places) - 1, 0)


@contextmanager
def held(queue: FairQueue, *, place: int = 0) -> Iterator[Callable[[], None]]:
    """Another thread takes the turn at a place, until the block ends or what is given is called."""
    go_on = threading.Event()

    def hold() -> None:
        with queue.turn():
            assert go_on.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    wait_for(lambda: len(queue._places) == place + 1 and queue._places[0].turns[0].is_set())
    try:
        yield go_on.set
    finally:
        go_on.set()
        holder.join()
