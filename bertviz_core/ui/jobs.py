"""What a page shows while it computes, and jobs: downloads, measurements and long runs.

A job runs in its own thread, once for all viewers who ask for the same work. It is cancelled when
no page has watched it for a while, unless it was begun with `finish`.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import add_script_run_ctx

from bertviz_core.errors import BertvizError
from bertviz_core.shared.turns import Waiter, waiter_here
from bertviz_core.ui.html import at_work, note

AT_ONCE = 0.2  # seconds of work before anything is shown
CHECK_EVERY = 0.1  # seconds between two looks at a job
PATIENCE = 5.0  # seconds a job goes on unwatched; a page that runs again watches within these
_log = logging.getLogger(__name__)
_lock = threading.Lock()
_jobs: dict[Hashable, "Job"] = {}  # those that run, and those that failed until a page says why


class Abandoned(Exception):
    """No page watches the job any more."""


@dataclass(eq=False)
class Job(Waiter):
    """Work in a thread of its own."""

    key: Hashable  # equal work has the same one
    doing: str  # begins a sentence: "The download of bert-base-uncased"
    total: int  # steps, in the unit of the work: bytes, batches; 0 while unknown
    finish: bool  # whether it goes on when no page watches it
    done: int = 0  # steps
    before: int = 0  # how many are before it in the queue for the model
    state: Literal["running", "ended", "failed"] = "running"
    message: str = ""  # after a failure, a sentence for the user
    last_watched: float = field(default_factory=time.monotonic)

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return min(self.done / self.total, 1.0) if self.total else 0.0

    def report(self, done: int, total: int) -> None:
        """Note the progress; the work calls it between its steps."""
        self.done = done
        self.total = total
        self.raise_if_cancelled()

    def raise_if_cancelled(self) -> None:
        """Raise `Abandoned` if no page watches the job; the work calls it, too."""
        if not self.finish and time.monotonic() - self.last_watched > PATIENCE:
            raise Abandoned

    def report_waiting(self, before: int) -> None:
        self.before = before

    def watch(self) -> None:
        self.last_watched = time.monotonic()

    def run(self, work: "Callable[[Job], object]") -> None:
        """Do the work in this thread, and keep its error as a message."""
        waiter_here.set(self)
        try:
            work(self)
        except Abandoned:
            pass
        except BertvizError as error:
            _log.warning("%s failed: %s", self.doing, error)
            self.message = str(error)
        except Exception:  # a defect: say it in the log and to the user
            _log.exception("%s stopped", self.doing)
            self.message = (
                f"{self.doing} stopped because of an error in the app; "
                "the server's log has the details. Try again."
            )
        self.state = "failed" if self.message else "ended"
        if not self.message:
            forget(self.key)


def begin(
    key: Hashable,
    doing: str,
    work: Callable[[Job], object],
    *,
    total: int = 0,
    finish: bool = False,
) -> Job:
    """Begin a job and return at once; a running job with this key is returned instead.

    `work` calls the job's `report` or `raise_if_cancelled` between its steps. See `Job`.
    """
    with _lock:
        job = _jobs.get(key)
        if job is not None and job.state == "running":
            job.watch()
            return job
        job = _jobs[key] = Job(key, doing, total, finish)
    threading.Thread(target=job.run, args=(work,), name=doing, daemon=True).start()
    return job


def find(key: Hashable) -> Job | None:
    """The job with this key, if it runs or has failed."""
    return _jobs.get(key)


def forget(key: Hashable) -> None:
    """Forget a job that has ended; a running one stays."""
    with _lock:
        if key in _jobs and _jobs[key].state != "running":
            del _jobs[key]


def follow(job: Job, text: Callable[[Job], str]) -> None:
    """Show a progress bar in the page's run until a job has ended.

    Each look lets Streamlit end a run that a newer one has replaced. The message of a failed job is
    raised, and the job forgotten.
    """
    bar = st.empty()
    last_progress = None
    while job.state == "running":
        job.watch()
        st.session_state.get("job")
        progress = job.share, progress_text(job, text)
        if progress != last_progress:  # each message costs the server 1 ms
            bar.progress(*progress)
            last_progress = progress
        time.sleep(CHECK_EVERY)
    bar.empty()
    if job.state == "failed":
        forget(job.key)
        raise BertvizError(job.message)


@st.fragment(run_every=0.5)
def follow_beside(key: Hashable, text: Callable[[Job], str]) -> None:
    """Show a progress bar while the page can be used; the page runs again at the end."""
    job = find(key)
    if job is None or job.state != "running":
        st.rerun()
    job.watch()
    st.progress(job.share, progress_text(job, text))


def progress_text(job: Job, text: Callable[[Job], str]) -> str:
    """Say how far a job is, and how many are before it while it waits for the model."""
    return f"{text(job)} ({job.before} before you)" if job.before else text(job)


@contextmanager
def waiting(doing: str, height: int) -> Iterator[None]:
    """Show what is being done, above a grey shape of the result's `height` in pixels.

    While others use the model, it says how many are before this run. Nothing is shown of work that
    ends within 0.2 s.
    """
    message = _Message(doing, height)
    timer = threading.Timer(AT_ONCE, message.report_waiting, [0])
    add_script_run_ctx(timer)
    timer.start()
    token = waiter_here.set(message)
    try:
        yield
    finally:
        waiter_here.reset(token)
        timer.cancel()
        message.end()


class _Message(Waiter):
    """The message and the shape of `waiting`."""

    def __init__(self, doing: str, height: int) -> None:
        self._doing = doing
        self._height = height
        self._slot = st.empty()
        self._line: DeltaGenerator | None = None  # of text, once something is shown
        self._lock = threading.Lock()
        self._has_ended = False

    def raise_if_cancelled(self) -> None:
        """Let Streamlit end a run that a newer one has replaced; reading the state is enough."""
        st.session_state.get("gate")

    def report_waiting(self, before: int) -> None:
        """Show how many are before this run, or what it does."""
        with self._lock:
            if self._has_ended:
                return
            if self._line is None:
                shape = self._slot.container()
                self._line = shape.empty()
                shape.skeleton(self._height)
            with self._line:
                if before:
                    busy = "The server is busy: <b>{before-you}</b> before you."
                    note(busy, **{"before-you": f"{before}"})
                else:
                    at_work(self._doing)

    def end(self) -> None:
        with self._lock:
            self._has_ended = True
        if self._line is not None:
            self._slot.empty()
