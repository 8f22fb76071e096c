"""What the server writes to the log: a message once a minute, cut, and in all a few bytes."""

import logging
import re
import time
import traceback
from collections import Counter

EVERY_SECONDS = 60.0  # after which an equal message is written again
MAX_KNOWN = 1_000  # messages
MAX_TEXT = 4_000  # characters of a message, and of a traceback
LONG_LINE = re.compile("(.{200}).+(.{100})")
# Bytes in a minute, of one logger and of all: who floods one does not silence the others.
MAX_OF_LOGGER, MAX_BYTES = 50_000, 450_000


class OncePerMinute(logging.Filter):
    """Let an equal message pass once a minute, the next time with how many were left out.

    Messages are equal that have one template, whatever they say in it: Streamlit 1.67 writes 0.9 MB
    of a visitor's message, as often as it is sent, where it names a fragment that does not exist.
    """

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, tuple[float, int]] = {}  # when it passed, how many since
        self._begun = -EVERY_SECONDS  # the minute whose bytes are counted
        self._bytes = Counter[str]()  # by logger

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        now = time.monotonic()
        # Of an error where it was raised: its template, too, may differ each time.
        what = traceback.format_tb(error.__traceback__) if error else [str(record.msg)]
        key = hash((record.name, type(error), *what))  # as small, whatever was sent
        passed, left_out = self._known.get(key, (-EVERY_SECONDS, 0))
        if now - passed < EVERY_SECONDS:
            self._known[key] = passed, left_out + 1
            return False
        if now - self._begun >= EVERY_SECONDS:
            self._begun, self._bytes = now, Counter()
        try:
            message = record.getMessage()
        except Exception:  # its arguments do not fit
            message = record.msg = f"{record.msg} {record.args}"
            record.args = None
        text = cut(message)
        if left_out:
            text += f" (and {left_out:,} more of these before)"
        if text != message:
            record.msg, record.args = text, None
        if error:
            record.exc_text = cut("".join(traceback.format_exception(error)).rstrip())
        size = 100 + len(f"{text}{record.exc_text}".encode(errors="replace"))  # 100: time and name
        of_logger = self._bytes[record.name] + size
        if of_logger > MAX_OF_LOGGER or self._bytes.total() + size > MAX_BYTES:
            return False
        self._bytes[record.name] = of_logger
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[key] = now, 0
        return True


def cut(text: str) -> str:
    """The beginning and the end of a text, and of each line."""
    if len(text) > MAX_TEXT:
        text = f"{text[: MAX_TEXT // 2]}\n…\n{text[-MAX_TEXT // 2 :]}"
    return LONG_LINE.sub(r"\1…\2", text)


def bound_the_log() -> None:
    """Filter what any logger writes, also one made later; its handlers may change."""
    once_per_minute = OncePerMinute()

    class Bounded(logging.Logger):
        def __init__(self, name: str, level: int = logging.NOTSET) -> None:
            super().__init__(name, level)
            self.addFilter(once_per_minute)

    logging.setLoggerClass(Bounded)
    for log in (logging.root, *logging.root.manager.loggerDict.values()):
        if isinstance(log, logging.Logger):  # or a place for one
            log.addFilter(once_per_minute)
