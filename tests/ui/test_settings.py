"""What the settings that the app ships with promise, on a server that is given no others."""

import asyncio
import os
from pathlib import Path
from typing import Any

from benchmarks.app_server import running, small_app
from benchmarks.session import Viewer
from tests.headless import ROOT

# A defect on a page, one in what is caught around a view, and one of a callback.
DEFECTS = """
import streamlit as st
from bertviz_core.ui.draw import errors_shown

def fail(where):
    {"a private sentence": 1}[f"a private question, {where}"]

st.button("Fail", key="fail", on_click=fail, args=("callback",))
with errors_shown(stop=False):
    fail("view")
fail("page")
"""


class Listener(Viewer):
    """A viewer that keeps all that the server sends."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.messages: list[Any] = []

    def _take(self, message: Any) -> None:
        self.messages.append(message)
        super()._take(message)


def is_exception(message: Any) -> bool:
    return bool(message.delta.new_element.WhichOneof("type") == "exception")


def test_a_visitor_reads_no_details_and_nothing_is_told_to_others(tmp_path: Path) -> None:
    async def visit(url: str) -> None:
        async with Listener(url) as viewer:
            await viewer.open("")
            await viewer.press("fail")
            assert len([*filter(is_exception, viewer.messages)]) == 2
        sent = b"".join(message.SerializeToString() for message in viewer.messages)
        assert b"Something went wrong in the app" in sent
        for detail in (b"private", b"KeyError", b"Traceback", b"errors_shown"):
            assert detail not in sent, detail
        sessions = [one.new_session for one in viewer.messages if one.HasField("new_session")]
        assert len(sessions) == 2
        for session in sessions:
            assert not session.config.gather_usage_stats
            assert session.config.disable_data_export, "a table's own CSV has no guard"

    app = small_app(tmp_path / "app", DEFECTS)
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with running(app, {"PYTHONPATH": path}) as server:
        asyncio.run(visit(server.url))
