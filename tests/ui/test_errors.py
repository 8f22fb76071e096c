"""What a visitor and the log read when something fails."""

import logging
import subprocess
import sys

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bertviz_core.ui import log as bounded_log
from tests.headless import ROOT, said

DEFECT = """
import streamlit as st
from bertviz_core.errors import UserInputError
from bertviz_core.ui.draw import errors_shown

with errors_shown(stop=False):
    {'a private sentence': 1}['a private question']
with errors_shown():
    raise UserInputError("Type a word.")
st.text("not reached")
"""


def test_a_defect_is_logged_under_the_reference_that_the_visitor_sees(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(st, "get_option", lambda name: "none")
    app = AppTest.from_string(DEFECT).run()
    assert not app.exception
    (line,) = [one for one in caplog.messages if one.startswith("Failed run")]
    reference = line.split()[3].rstrip(":")
    assert len(reference) == 6
    assert reference in said(app)
    assert "Type a word." in said(app)
    assert not app.text
    assert "KeyError" in line
    assert "in <module>" in line  # the traceback
    assert "private" not in line.replace("{'a private sentence': 1}['a private question']", "")
    assert "private" not in said(app)


def test_a_developer_sees_the_defect_itself() -> None:
    app = AppTest.from_string(DEFECT).run()
    assert "a private question" in app.exception[0].message


def test_an_equal_message_is_logged_once_a_minute(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    monkeypatch.setattr(bounded_log.time, "monotonic", lambda: now[0])
    log = logging.getLogger("streamlit.a_test")
    log.addFilter(bounded_log.OncePerMinute())

    def fail(what: str) -> None:
        try:
            raise ValueError(what)
        except ValueError:
            log.exception("Error processing %s", what)

    for number in range(200):
        now[0] += 0.3
        fail(f"made up {number}")
        log.warning("another message")
    assert len(caplog.records) == 2
    now[0] += 60
    fail("made up")
    assert "(and 199 more" in caplog.messages[-1]
    for number in range(2 * bounded_log.MAX_KNOWN):
        log.warning(f"message {number}")
    assert len(log.filters[0]._known) <= bounded_log.MAX_KNOWN  # type: ignore[union-attr]


# What a minute of a visitor's messages makes of the log, in a process that nothing has filtered.
FLOOD = """
import asyncio.log, io, logging, os, sys, warnings
import streamlit.runtime.app_session
import uvicorn
from benchmarks.watch import look_at
from bertviz_core.ui.log import bound_the_log
from streamlit.logger import get_logger

bound_the_log()
uvicorn.Config("app:app")  # which gives its loggers other handlers
text = "\\N{SNAKE} of a visitor " * 20_000  # 400,000 characters
names = ["streamlit.runtime.app_session", "uvicorn.error", "asyncio", "bertviz_core.ui.jobs"]
loggers = [*map(logging.getLogger, names), get_logger("streamlit.made_later"), logging.getLogger()]
before = look_at(os.getpid()).megabytes
for number in range(60):
    for log in loggers:
        text = f"{number} {text[:-3]}"
        log.warning("The fragment with id %s does not exist", text)
        log.warning("%(origin)s is refused, %(status)d", {"origin": text, "status": 403})
        log.warning(f"in the template: {text}")
        log.warning(ValueError(text))
        log.warning("two numbers: %d %d", text)
        log.warning("line\\n" * 30_000 + str(number))
        try:
            try:
                int(text)
            except ValueError as error:
                raise KeyError(error) from error
        except KeyError:
            log.exception(text)
for number in range(20_000):
    log = loggers[number % len(loggers)]
    log.warning(f"short {number}")
logging.getLogger("streamlit.another").warning("of another logger")
print(look_at(os.getpid()).megabytes - before)
"""


def test_a_minute_of_any_messages_adds_little_to_the_log() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FLOOD], cwd=ROOT, capture_output=True, text=True, check=True
    )
    written = done.stderr
    assert "Logging error" not in written
    for message in ("The fragment with id 0", "403", "in the template", "KeyError", "two"):
        assert written.count(message) >= 6, message
    assert "of another logger" in written
    assert len(written.encode()) < 1_000_000
    assert max(map(len, written.splitlines())) < 1_000
    assert float(done.stdout) < 20
