"""torch is imported as a browser asks for a page that needs it, and for no other."""

import asyncio
import threading

import pytest
from starlette.types import Receive, Scope, Send

from bertviz_core.ui import server
from bertviz_core.ui.frame import pages


async def _app(scope: Scope, receive: Receive, send: Send) -> None:
    pass


@pytest.mark.parametrize("address", [entry.address for entry in pages()])
def test_pages_that_run_the_model(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Event()
    monkeypatch.setattr(server, "chosen_device", asked.set)
    scope = {"type": "http", "path": f"/base/{address}"}
    asyncio.run(server.torch_in_time(_app)(scope, None, None))
    runs = address in ("Word_in_Context", "Sentence_Vectors", "Word_Senses")
    assert asked.wait(5 if runs else 0.1) is runs
