"""Waiting for the model on a page: how many are before you, and leaving the queue."""

import asyncio
from pathlib import Path

from benchmarks.app_server import ROOT, running, small_app
from benchmarks.session import Viewer

ASKING = """
import threading
from pathlib import Path
from typing import Any

import streamlit as st

from bertviz_core.shared.turns import encoder_queue
from bertviz_core.ui.jobs import waiting

folder = Path("{folder}")
name = st.text_input("Who", "nobody", key="who")
if name == "holder":
    with encoder_queue.turn():
        while not (folder / "go on").exists():
            (folder / "waiting").write_text(str(len(encoder_queue._places) - 1))
            threading.Event().wait(0.02)
else:
    with waiting("Waiting", height=80), encoder_queue.turn():
        (folder / f"served {{name}}").touch()
"""


def test_runs_that_nobody_wants_leave_the_line_of_a_real_server(tmp_path: Path) -> None:
    """A browser that has gone, and a run that a newer one of the same viewer has replaced."""
    folder = small_app(tmp_path / "app", ASKING.format(folder=tmp_path))

    async def waiting_are(count: int) -> None:
        for _ in range(1000):
            path = tmp_path / "waiting"
            if path.exists() and path.read_text() == str(count):
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"there were never {count} waiting")

    async def come_and_go(url: str) -> None:
        async with Viewer(url) as holder, Viewer(url) as replaced:
            for viewer in (holder, replaced):
                assert (await viewer.open("")).problems == []
            for name in ("served nobody", "waiting"):
                (tmp_path / name).unlink(missing_ok=True)
            holding = asyncio.create_task(holder.change("who", "holder"))
            await waiting_are(0)
            first = asyncio.create_task(replaced.change("who", "first"))
            await waiting_are(1)
            async with Viewer(url) as gone:
                opened = asyncio.create_task(gone.open(""))
                await waiting_are(2)
                for _ in range(200):
                    shown = [element.html.body for element in gone.last.of_kind("html")]
                    if any('data-name="before-you">2<' in body for body in shown):
                        break
                    await asyncio.sleep(0.02)
                else:
                    raise AssertionError("a viewer who waits does not see it")
                opened.cancel()
            await waiting_are(1)  # the browser has gone
            first.cancel()
            second = asyncio.create_task(replaced.change("who", "second"))
            await asyncio.sleep(0.5)
            await waiting_are(1)  # the run of "first" has left, that of "second" has come
            (tmp_path / "go on").touch()
            await asyncio.gather(holding, second)

    settings = {"PYTHONPATH": str(ROOT), "STREAMLIT_CLIENT_SHOW_ERROR_DETAILS": "full"}
    with running(folder, settings) as app:
        asyncio.run(asyncio.wait_for(come_and_go(app.url), 60))
    assert {path.name for path in tmp_path.glob("served *")} == {"served second"}
