"""What is shown while something is computed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.scriptrunner import add_script_run_ctx

from bertviz_core.turns import Waiter, waiter_here
from bertviz_core.ui.html import at_work, note

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

AT_ONCE = 0.2  # seconds of work that nothing is shown of


@contextmanager
def waiting(doing: str, height: int) -> Iterator[None]:
    """Say what is being done, over a grey shape where the result will stand.

    While others use the model, it says how many are before this run. Nothing is shown of what is
    done at once: the page would jump, and each message costs the server a millisecond. `height` is
    that of the shape, in pixels, so that little jumps when the result comes.
    """
    shown = _Shown(doing, height)
    timer = threading.Timer(AT_ONCE, shown.report_waiting, [0])
    add_script_run_ctx(timer)
    timer.start()
    token = waiter_here.set(shown)
    try:
        yield
    finally:
        waiter_here.reset(token)
        timer.cancel()
        shown.end()


class _Shown(Waiter):
    """What is shown of a run of a page that waits, or computes."""

    def __init__(self, doing: str, height: int) -> None:
        self._doing, self._height = doing, height
        self._place, self._lock, self._is_done = st.empty(), threading.Lock(), False
        self._said: DeltaGenerator | None = None

    def raise_if_cancelled(self) -> None:
        """End a run that a newer one has replaced, or whose browser has gone.

        Streamlit asks it to stop, and it does at any look at the session's state.
        """
        st.session_state.get("gate")

    def report_waiting(self, before: int) -> None:
        """Say how many are before this run, or what it does."""
        with self._lock:
            if self._is_done:
                return
            if self._said is None:
                shape = self._place.container()
                self._said = shape.empty()
                shape.skeleton(self._height)
            with self._said:
                if before:
                    busy = "The server is busy: <b>{before-you}</b> before you."
                    note(busy, **{"before-you": f"{before}"})
                else:
                    at_work(self._doing)

    def end(self) -> None:
        """Show nothing any more."""
        with self._lock:
            self._is_done = True
        if self._said is not None:
            self._place.empty()
