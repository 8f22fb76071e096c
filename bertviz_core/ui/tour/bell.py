"""Phones are rung when their hall moves on, so that they need not ask all the time.

A thread looks at the halls whose phones this process serves, and asks Streamlit (seen with 1.67)
for what a phone asks for by itself now and then: a run of its part of the page. A phone that was
not rung is only later.
"""

import threading
import time
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from streamlit import runtime
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState, get_script_run_ctx

from bertviz_core.hall.store import Halls, State, StoreError

LOOK = 0.4  # seconds between two looks at a hall
APART = 0.006  # seconds between two phones, so that others are served meanwhile


class _Waiting(NamedTuple):
    hall: Halls
    code: str
    state: State  # that the phone shows
    asked: ClientState


_WAITING: dict[str, _Waiting] = {}  # by session; of one that has left until its hall moves on
_LOCK = threading.Lock()


def ring_me(hall: Halls, code: str, state: State) -> None:
    """Let the part of a page that calls this run again once its hall is asked something else."""
    here = get_script_run_ctx()
    if here is None:
        return
    asked = ClientState(
        fragment_id=ThreadState.get().fragment_id or "",
        page_script_hash=here.page_script_hash,
        query_string=here.query_string,
        is_auto_rerun=True,
    )
    with _LOCK:
        _WAITING[here.session_id] = _Waiting(hall, code, state, asked)
    _begin()


@cache
def _begin() -> None:
    threading.Thread(target=_look_for_ever, name="hall-bell", daemon=True).start()


def _look_for_ever() -> None:
    while True:
        time.sleep(LOOK)
        with _LOCK:
            waiting = list(_WAITING.items())
        now = {place: _asked(*place) for place in {(one.hall, one.code) for _, one in waiting}}
        last = ""
        for session, one in waiting:
            if now[one.hall, one.code] == one.state[:2]:
                continue
            with _LOCK:
                if _WAITING.get(session) is not one:  # it has asked by itself
                    continue
                del _WAITING[session]
            _ring(session, one.asked)
            time.sleep(APART)
            for _ in range(10):  # where the server has much to do, wait for the one before
                if not last or last in _WAITING:
                    break
                time.sleep(APART)
            last = session


def _asked(hall: Halls, code: str) -> tuple[int, int] | None:
    """The question and its round: what the screen shows besides, phones may see later."""
    try:
        state = hall.state(code)
    except StoreError:  # which phones say when they ask
        return None
    return state and state[:2]


def _ring(session_id: str, asked: ClientState) -> None:
    """As if the browser had asked, where browsers are heard."""
    with suppress(RuntimeError, AttributeError):  # the server ends, or is another Streamlit's
        if session := runtime.get_instance().get_app_session(session_id):
            session._event_loop.call_soon_threadsafe(session.request_rerun, asked)
