"""A queue for what only one can use at a time: whoever comes first goes first, and all get in."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from bertviz_core.errors import UserInputError

LOOK, LONGEST_LOOK = 0.2, 5.0  # seconds between two looks whether somebody still waits
QUIET = 0.5  # seconds of waiting before which nothing is said
BETWEEN = 1.0  # seconds between two messages: each costs the server a millisecond

ReportWaiting = Callable[[int], object]
# Says on the page, here, how many are before its run; set by `show.waiting`.
report_waiting_here: ContextVar[ReportWaiting | None] = ContextVar(
    "report_waiting_here", default=None
)
# Ends a run of a page that nobody waits for any more; set beside it.
raise_if_cancelled_here: ContextVar[Callable[[], object]] = ContextVar(
    "raise_if_cancelled_here", default=lambda: None
)


def time_limit(seconds: float, doing: str) -> Callable[[], None]:
    """What to call between steps of work; it raises a UserInputError once the time is over."""
    end = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() > end:
            raise UserInputError(f"{doing} took longer than {seconds:g} seconds, and was ended.")

    return check


def pause(before: int) -> float:
    """Seconds until the next look of one who has so many before: a crowd must not all look at once.

    All looks together take the server about as long with 1,000 waiting as with 100.
    """
    return min(LOOK * (1 + before / 10), LONGEST_LOOK) * random.uniform(0.75, 1.25)


@dataclass(eq=False)
class _Place:
    """A place in the queue, for everybody who asks for the same work."""

    key: object
    here: int = 0  # threads that wait at it or work
    open: bool = True  # to others; not once it was served: they would keep it in front
    # Released once for each turn that was not taken yet.
    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))


class FairQueue:
    """Threads that wait for one another: first come, first served, equal work at one place."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: list[_Place] = []  # the first one is served
        self._holder: int | None = None  # the thread whose turn it is

    @property
    def mine(self) -> bool:
        """Whether it is the turn of this thread."""
        return self._holder == threading.get_ident()

    @property
    def waiting(self) -> int:
        """How many places wait."""
        with self._lock:
            return max(len(self._places) - 1, 0)

    @contextmanager
    def turn(
        self,
        key: object = None,
        *,
        raise_if_cancelled: Callable[[], object] = lambda: None,
        report_waiting: ReportWaiting | None = None,
    ) -> Iterator[None]:
        """Wait for a turn, however many wait, and keep it for the time of the block.

        Equal work (`key`) shares a place: whoever comes second finds the result of the first.
        `raise_if_cancelled` may raise to leave; `report_waiting` gets how many are before.
        """
        if self.mine:
            raise RuntimeError("The gate is not passed twice: ask for the inner result before.")
        place = self._join(key)
        has_turn = place.turn.acquire(blocking=False)
        try:
            last, before, due = 0, 0, time.monotonic() + QUIET
            while not has_turn:
                has_turn = place.turn.acquire(timeout=pause(before))
                raise_if_cancelled()
                before = 0 if has_turn else self._before(place)
                if report_waiting and before != last and (has_turn or time.monotonic() >= due):
                    report_waiting(before)
                    last, due = before, time.monotonic() + BETWEEN
            self._holder = threading.get_ident()
            yield
        finally:
            self._leave(place, had_turn=has_turn)

    def _join(self, key: object) -> _Place:
        with self._lock:
            for place in self._places:
                if key is not None and place.open and place.key == key:
                    break
            else:
                place = _Place(key)
                self._places.append(place)
                if len(self._places) == 1:
                    place.turn.release()
            place.here += 1
            return place

    def _before(self, place: _Place) -> int:
        with self._lock:
            return self._places.index(place)

    def _leave(self, place: _Place, *, had_turn: bool) -> None:
        with self._lock:
            place.here -= 1
            if had_turn:
                self._holder = None
                place.open = False
            if place.here:
                if had_turn:
                    place.turn.release()
                return
            was_first = place is self._places[0]
            self._places.remove(place)
            if was_first and self._places:
                self._places[0].turn.release()
