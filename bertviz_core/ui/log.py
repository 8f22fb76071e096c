"""What the server writes to the log: a message once a minute, cut, and in all a few bytes."""

import logging
import re
import time
import traceback
from collections import Counter
from typing import Any

EVERY_SECONDS = 60.0  # after which an equal message is written again
MAX_KNOWN = 1_000  # messages
MAX_LINE, MAX_TEXT = 300, 4_000  # characters of a line or an argument, and of a whole message
# Bytes in a minute, of one logger and of all: who floods one of them does not silence the others.
MAX_OF_LOGGER, MAX_BYTES = 50_000, 450_000


class OncePerMinute(logging.Filter):
    """Let an equal message pass once a minute, the next time with how many were left out.

    Messages are equal that have one template, whatever they say in it: Streamlit 1.67 writes 0.9 MB
    of a visitor's message, as often as it is sent, where it names a fragment that does not exist.
    """

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[object, tuple[float, int]] = {}  # when it passed, how many since
        self._begun = -EVERY_SECONDS  # the minute whose bytes are counted
        self._bytes = Counter[str]()  # by logger

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        now = time.monotonic()
        # Of an error where it was raised: its template, too, may differ each time.
        what = (str(record.msg),)
        if error:
            what = type(error).__qualname__, *traceback.format_tb(error.__traceback__)
        key: object = hash((record.name, *what))  # a key is as small whatever was sent
        passed, left_out = self._known.get(key, (-EVERY_SECONDS, 0))
        if now - passed < EVERY_SECONDS:
            self._known[key] = passed, left_out + 1
            return False
        if now - self._begun >= EVERY_SECONDS:
            self._begun = now
            self._bytes.clear()
        shorten(record, error)
        texts = repr((record.msg, record.args, record.exc_text))
        size = 100 + len(texts.encode(errors="backslashreplace"))  # 100: the time and the name
        _, unwritten = self._known.pop(record.name, (now, 0))  # for which there was no room
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        if (
            self._bytes[record.name] + size > MAX_OF_LOGGER
            or self._bytes.total() + size > MAX_BYTES
        ):
            self._known[record.name] = now, unwritten + 1
            return False
        self._bytes[record.name] += size
        self._known[key] = now, 0
        if left_out + unwritten:
            record.msg = f"{record.msg} (and {left_out + unwritten:,} more of these before)"
        return True


def shorten(record: logging.LogRecord, error: BaseException | None) -> None:
    """Cut a message, its arguments and its traceback, which may hold all that a visitor sent."""

    def short(value: Any) -> Any:
        return value if isinstance(value, int | float) else _cut(str(value))[:MAX_LINE]

    record.msg = _cut(str(record.msg))
    if isinstance(record.args, dict):
        record.args = {name: short(value) for name, value in record.args.items()}
    else:
        record.args = tuple(map(short, record.args or ()))
    if error:
        record.exc_text = _cut("".join(traceback.format_exception(error)).rstrip())


def _cut(text: str) -> str:
    if len(text) > MAX_TEXT:
        text = f"{text[: MAX_TEXT // 2]}\n…\n{text[-MAX_TEXT // 2 :]}"
    return re.sub(f"(.{{{MAX_LINE}}}).+", r"\1…", text)


def bound_the_log() -> None:
    """Filter what any logger writes, also one that is made later.

    A filter of a logger stays when Streamlit or uvicorn gives it another handler.
    """
    once_per_minute = OncePerMinute()

    class Bounded(logging.Logger):
        def __init__(self, name: str, level: int = logging.NOTSET) -> None:
            super().__init__(name, level)
            self.addFilter(once_per_minute)

    logging.setLoggerClass(Bounded)
    logging.root.addFilter(once_per_minute)
    for log in list(logging.root.manager.loggerDict.values()):
        if isinstance(log, logging.Logger):
            log.addFilter(once_per_minute)
