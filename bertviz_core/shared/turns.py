"""A queue of threads for the encoder: first come, first served."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from bertviz_core.errors import UserInputError

CHECK_EVERY, MAX_CHECK = 0.2, 5.0  # seconds between two checks whether a waiter has left
QUIET = 0.5  # seconds of waiting before the first message
BETWEEN = 1.0  # seconds between two messages; each costs the server 1 ms


class Waiter:
    """What waits for a turn: a run of a page or a job. This one says nothing."""

    def raise_if_cancelled(self) -> None:
        """Raise to leave the queue, if the result is not wanted any more."""

    def report_waiting(self, before: int) -> None:
        """Say how many are before."""


SILENT = Waiter()
# The waiter of this thread; `ui.jobs` sets it for runs of pages and for jobs.
waiter_here: ContextVar[Waiter] = ContextVar("waiter_here", default=SILENT)


def time_limit(seconds: float, doing: str) -> Callable[[], None]:
    """A function to call between steps; it raises a UserInputError once the time is over."""
    end = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() > end:
            raise UserInputError(f"{doing} took longer than {seconds:g} seconds, and was ended.")

    return check


def pause(before: int) -> float:
    """Seconds until the next check, longer with more before, so that a crowd costs no more."""
    return min(CHECK_EVERY * (1 + before / 10), MAX_CHECK) * random.uniform(0.75, 1.25)


@dataclass(eq=False)
class _Place:
    """The place of one thread in the queue."""

    key: object  # equal work has an equal one
    group: object = field(default_factory=object)  # equal work that waits together has the same one
    thread: int = field(default_factory=threading.get_ident)
    turn: threading.Event = field(default_factory=threading.Event)


class FairQueue:
    """Threads in the order in which they came; equal work waits together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: list[_Place] = []  # the first one has its turn

    @property
    def mine(self) -> bool:
        """Whether it is the turn of this thread."""
        return [place.thread for place in self._places[:1]] == [threading.get_ident()]

    @property
    def waiting(self) -> int:
        """How many wait; equal work counts once."""
        with self._lock:
            return max(len({place.group for place in self._places}) - 1, 0)

    @contextmanager
    def turn(self, key: object = None) -> Iterator[None]:
        """Wait for a turn, and keep it for the block.

        Equal work (the same `key`) waits together, so that the second finds the result of the
        first. `waiter_here` is told how many are before, and may raise to leave.
        """
        if self.mine:
            raise RuntimeError("This thread has its turn already; it would wait for itself.")
        waiter, place = waiter_here.get(), self._join(key)
        try:
            last, before, due = 0, 0, time.monotonic() + QUIET
            while not place.turn.is_set():
                place.turn.wait(pause(before))
                waiter.raise_if_cancelled()
                before = self._before(place)
                if before != last and (before == 0 or time.monotonic() >= due):
                    waiter.report_waiting(before)
                    last, due = before, time.monotonic() + BETWEEN
            yield
        finally:
            self._leave(place)

    def _join(self, key: object) -> _Place:
        place = _Place(key)
        with self._lock:
            at = len(self._places)
            for number, other in enumerate(self._places):
                if key is not None and other.key == key:
                    at, place.group = number + 1, other.group
            self._places.insert(at, place)
            self._places[0].turn.set()
        return place

    def _before(self, place: _Place) -> int:
        """How many are before a place; equal work counts once."""
        with self._lock:
            at = self._places.index(place)
            return len({other.group for other in self._places[:at]} - {place.group})

    def _leave(self, place: _Place) -> None:
        with self._lock:
            was_first = place is self._places[0]
            self._places.remove(place)
            for other in self._places:
                # Equal work that comes from now on would keep the others waiting.
                if was_first and other.group is place.group:
                    other.key = None
            if self._places:
                self._places[0].turn.set()
