"""What is shown while something is computed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.scriptrunner import add_script_run_ctx

from bertviz_core.turns import raise_if_cancelled_here, report_waiting_here
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
    place, lock = st.empty(), threading.Lock()
    said: DeltaGenerator | None = None
    done = False

    def report_waiting(before: int) -> None:
        nonlocal said
        with lock:
            if done:
                return
            if said is None:
                shape = place.container()
                said = shape.empty()
                shape.skeleton(height)
            with said:
                if before:
                    busy = "The server is busy: <b>{before-you}</b> before you."
                    note(busy, **{"before-you": f"{before}"})
                else:
                    at_work(doing)

    timer = threading.Timer(AT_ONCE, report_waiting, [0])
    add_script_run_ctx(timer)
    timer.start()
    token = report_waiting_here.set(report_waiting)
    checks = raise_if_cancelled_here.set(_let_streamlit_end_the_run)
    try:
        yield
    finally:
        report_waiting_here.reset(token)
        raise_if_cancelled_here.reset(checks)
        timer.cancel()
        with lock:
            done = True
        if said is not None:
            place.empty()


def _let_streamlit_end_the_run() -> None:
    """A run that a newer one has replaced, or whose browser has gone, ends here.

    Streamlit asks it to stop, and it does at any look at the session's state.
    """
    st.session_state.get("gate")
