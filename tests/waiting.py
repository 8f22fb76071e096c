"""Waiting for what another thread does."""

import time
from collections.abc import Callable


def wait_for(reached: Callable[[], bool]) -> None:
    """Look until it is so, for at most 20 seconds."""
    deadline = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < deadline, "waited for 20 seconds"
        time.sleep(0.005)
