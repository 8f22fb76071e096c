"""One forward pass at a time, and none for a viewer who has moved on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

_FORWARD = threading.Lock()


@contextmanager
def forward_gate() -> Iterator[None]:
    """Wait for the model to be free.

    torch cannot be interrupted, so quick edits would pile up behind a plain lock and all be
    computed. While waiting here, each look at the session state lets Streamlit end a run that a
    newer one has replaced.
    """
    while not _FORWARD.acquire(timeout=0.05):
        st.session_state.get("gate")
    try:
        yield
    finally:
        _FORWARD.release()
