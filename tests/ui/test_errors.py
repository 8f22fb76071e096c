"""What a visitor and the log read when something fails."""

import logging

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bertviz_core.ui import log as bounded_log
from tests.headless import said

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


def test_the_log_of_streamlit_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded = set()
    monkeypatch.setattr(logging.Logger, "addFilter", lambda log, _: bounded.add(log.name))
    bounded_log.bound_the_log()
    assert {
        "streamlit.error_util",
        "streamlit.runtime.app_session",
        bounded_log.__name__,
    } <= bounded
