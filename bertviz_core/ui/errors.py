"""The one place where errors become sentences on the page, and few lines in the log."""

import hashlib
import logging
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import streamlit as st

from bertviz_core.errors import BertvizError
from bertviz_core.ui import slots
from bertviz_core.ui.html import alert

Arguments = ParamSpec("Arguments")
_log = logging.getLogger(__name__)
EVERY_SECONDS = 60.0  # after which an equal message is written again
MAX_KNOWN = 1_000  # messages


class OncePerMinute(logging.Filter):
    """Let an equal message pass once a minute, the next time with how many were left out.

    A made-up state of a chart makes Streamlit 1.67 write 5 kB: 8.9 GB a day from one browser.
    """

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[object, tuple[float, int]] = {}  # when it passed, how many since

    def filter(self, record: logging.LogRecord) -> bool:
        error, now = record.exc_info[1] if record.exc_info else None, time.monotonic()
        # Of an error where it was raised: its own message, and the arguments, may differ each time.
        key: object = record.name, record.getMessage()
        if error:
            key = record.name, type(error), *traceback.format_tb(error.__traceback__)
        passed, left_out = self._known.get(key, (-EVERY_SECONDS, 0))
        if now - passed < EVERY_SECONDS:
            self._known[key] = passed, left_out + 1
            return False
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[key] = now, 0
        if left_out:
            record.msg = f"{record.msg} (and {left_out:,} more of these before)"
        return True


def bound_the_log() -> None:
    """Filter what Streamlit and this app log; each logger of Streamlit's has its own handler."""
    once_per_minute = OncePerMinute()
    for name in list(logging.root.manager.loggerDict):
        if name.startswith(("streamlit", "bertviz_core")):
            logging.getLogger(name).addFilter(once_per_minute)


@contextmanager
def errors_shown(*, stop: bool = True) -> Iterator[None]:
    """Show an error raised inside as a sentence, and end the page there, unless `stop` is False.

    A `BertvizError` is meant for the user. Any other exception is a defect: the page shows a
    reference, and the log has its traceback under it. With `client.showErrorDetails` other than
    "none" a defect passes, and Streamlit shows it.
    """
    try:
        yield
    except BertvizError as error:
        alert(str(error))
    except Exception as error:
        if st.get_option("client.showErrorDetails") != "none":
            raise
        # Without the error's message, which may hold a user's text. An equal error has an equal
        # reference, so that the log need not have it again for each visitor.
        frames = "".join(traceback.format_tb(error.__traceback__))
        failed = f"{type(error).__name__}\n{frames}"
        reference = hashlib.sha256(failed.encode()).hexdigest()[:6]
        _log.error(f"Failed run, reference {reference}: {failed}")
        alert(
            "Something went wrong in the app. Your input is fine. The operator finds the cause in "
            f"the log under the reference {reference}."
        )
    else:
        return
    if stop:
        st.stop()


def fragment(show: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Turn a function into a part of the page that runs again alone, with `errors_shown` in it.

    When it runs alone, nobody around it catches its errors, nor those of its fields. It has a slot
    of its own name, because the container of a fragment has none; see `ui.slots`.
    """

    @st.fragment
    @wraps(show)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        with errors_shown(stop=False):
            show(*args, **kwargs)

    @wraps(show)
    def placed(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        with slots.part(show.__name__.strip("_").replace("_", "-")):
            run(*args, **kwargs)

    return placed
