"""Queues of threads for what one computes at a time: first come, first served."""

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from bertviz_core.errors import UserInputError

# Seconds between two checks whether a waiter has left, with a message to it, which costs the server
# 1 ms; with ten more before it twice as many, so that a crowd costs no more.
CHECK_EVERY = 0.3
MAX_CHECK = 5.0


class Waiter:
    """What waits for a turn: a run of a page or a job. This one says nothing."""

    def raise_if_cancelled(self) -> None:
        """Raise to leave the queue, if the result is not wanted any more."""

    def report_waiting(self, before: int) -> None:
        """Say how many are before."""


_SILENT = Waiter()
# The waiter of this thread; `ui.jobs` sets it for runs of pages and for jobs.
waiter_here: ContextVar[Waiter] = ContextVar("waiter_here", default=_SILENT)


def time_limit(seconds: float, doing: str) -> Callable[[], None]:
    """A function to call between steps; it raises a UserInputError once the time is over."""
    end = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() > end:
            raise UserInputError(f"{doing} took longer than {seconds:g} seconds, and was ended.")

    return check


@dataclass(eq=False)
class _Place:
    """A place in the queue, which threads with equal work share."""

    key: Hashable  # of their work; None once a turn has ended here: who comes now is not first
    turns: list[threading.Event] = field(default_factory=list)  # of these threads, in their order


class FairQueue:
    """One thread at a time, in the order in which they came; equal work waits together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: list[_Place] = []  # the first thread of the first place has its turn
        self._thread = 0  # the one that has its turn

    @property
    def mine(self) -> bool:
        """Whether this thread has its turn."""
        return self._thread == threading.get_ident()

    @contextmanager
    def turn(self, key: Hashable = None) -> Iterator[None]:
        """Wait for a turn, and keep it for the block.

        Equal work (the same `key`) waits together, so that the second finds the result of the
        first. `waiter_here` is told how many places are before this one, and may raise to leave.
        A thread that has its turn already goes on with it.
        """
        if self.mine:
            yield
            return
        turn = threading.Event()
        waiter = waiter_here.get()
        place = self._join(key, turn)
        before = 0
        try:
            while not turn.is_set():
                turn.wait(min(CHECK_EVERY * (1 + before / 10), MAX_CHECK))
                waiter.raise_if_cancelled()
                with self._lock:
                    reported = before
                    before = self._places.index(place)
                if before != reported:
                    waiter.report_waiting(before)
            self._thread = threading.get_ident()
            yield
        finally:
            self._leave(place, turn)

    def _join(self, key: Hashable, turn: threading.Event) -> _Place:
        with self._lock:
            equal = (one for one in self._places if key is not None and one.key == key)
            if (place := next(equal, None)) is None:
                self._places.append(place := _Place(key))
            place.turns.append(turn)
            self._places[0].turns[0].set()
        return place

    def _leave(self, place: _Place, turn: threading.Event) -> None:
        with self._lock:
            if self.mine:
                self._thread = 0
                place.key = None
            place.turns.remove(turn)
            if not place.turns:
                self._places.remove(place)
            if self._places:
                self._places[0].turns[0].set()


# Several passes of the encoder at once only take the processor from one another. What takes seconds
# without it, maps and files of visitors, keeps no pass waiting, nor what is computed of the tables
# in an instant. One at a time: the largest map takes 100 MB meanwhile, and some of this work sets
# how many threads the process uses. Who has a turn in one queue may wait in those below it only.
encoder_queue = FairQueue()
slow_queue = FairQueue()
table_queue = FairQueue()
