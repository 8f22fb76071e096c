"""What Streamlit and this app write to the log: an equal message once a minute."""

import logging
import time
import traceback
from typing import ParamSpec

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
        error = record.exc_info[1] if record.exc_info else None
        now = time.monotonic()
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
