"""Who may try a code: a wrong one costs a second, ten of them a minute."""

import threading
import time
from collections.abc import Callable

WRONG, CLOSED = 1.0, 60.0  # seconds
MOST_WRONG = 10
MOST_KNOWN = 10_000  # addresses; the oldest is forgotten


class Door:
    """Counts wrong codes by where they come from; kept in memory alone."""

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        self._wrong: dict[str, list[float]] = {}
        self._lock, self._sleep = threading.Lock(), sleep

    def closed(self, address: str) -> bool:
        """Whether so many wrong codes came from an address that none is looked at for a while."""
        with self._lock:
            wrong = self._wrong.get(address, [])
            return len(wrong) >= MOST_WRONG and time.monotonic() - wrong[-1] < CLOSED

    def wrong(self, address: str) -> None:
        """Note a wrong code, and let whoever tried it wait."""
        now = time.monotonic()
        with self._lock:
            recent = {key: since for key, since in self._wrong.items() if now - since[-1] < CLOSED}
            mine = [since for since in recent.pop(address, []) if now - since < CLOSED]
            self._wrong = recent | {address: [*mine, now][-MOST_WRONG:]}
            while len(self._wrong) > MOST_KNOWN:
                del self._wrong[next(iter(self._wrong))]
        self._sleep(WRONG)
