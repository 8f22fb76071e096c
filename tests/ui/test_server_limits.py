"""What the server refuses of visitors: too many or large files, and messages no page sends."""

import asyncio
import os
import sys
import tomllib
import urllib.request
from contextlib import AsyncExitStack
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from benchmarks.app_server import at_port, free_port, serving
from benchmarks.hostile import empty_states, large
from benchmarks.hostile import send as send_message
from benchmarks.session import Viewer
from bertviz_core.ui import server
from bertviz_core.ui.senses import MAX_TEXT_MB, MAX_VECTORS_MB
from bertviz_core.ui.server import (
    MAX_BYTES,
    MAX_FIELDS,
    MAX_FILES,
    MAX_IN_ALL,
    TOO_BIG,
    few_fields,
    make_room,
)
from bertviz_core.ui.state import MAX_CHARACTERS
from tests.headless import ROOT
from tests.live_app import running_app

# The app with smaller limits: what it does at them does not depend on their size.
SMALLER = """
from bertviz_core.ui import server
from bertviz_core.ui.state import MAX_CHARACTERS
server.MAX_BYTES, server.MAX_IN_ALL = 2**20, 2**22
server.IN_USE = 5
from streamlit.web.cli import main
main(prog_name="streamlit")
"""


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    monkeypatch.setattr(server, "MAX_BYTES", 100)
    monkeypatch.setattr(server, "MAX_IN_ALL", 250)
    return MemoryUploadedFileManager("upload")


def send(manager: MemoryUploadedFileManager, session: str, name: str, size: int) -> None:
    manager.add_file(session, UploadedFileRec(name, name, "text/plain", b"x" * size))
    assert make_room(manager, session, name)


def test_the_newest_files_of_a_session_stay(manager: MemoryUploadedFileManager) -> None:
    for number in range(10):
        send(manager, "a", str(number), 1)
    assert list(manager.file_storage["a"]) == ["6", "7", "8", "9"]
    send(manager, "a", "large", 98)
    assert list(manager.file_storage["a"]) == ["8", "9", "large"]
    send(manager, "a", "large", 99)  # sent again
    assert list(manager.file_storage["a"]) == ["9", "large"]
    for session in "bcd":
        manager.add_file(session, UploadedFileRec("1", "1", "text/plain", b"x" * 75))
        assert make_room(manager, session, "1") == (session != "d"), "all others are in use"
    assert not manager.file_storage["d"]


def test_no_file_stays_whose_name_the_field_raises_at(manager: MemoryUploadedFileManager) -> None:
    manager.add_file("a", UploadedFileRec("1", "x.npz\0.txt", "text/plain", b"x"))
    assert not make_room(manager, "a", "1")
    assert not manager.file_storage["a"]


def test_the_limits_fit_together() -> None:
    """The largest file is all that a session may hold, which is a tenth of what all may."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    largest = config["server"]["maxUploadSize"]
    assert largest == max(MAX_VECTORS_MB, MAX_TEXT_MB)
    assert largest * 1024 * 1024 == MAX_BYTES == MAX_IN_ALL // 10
    assert MAX_FILES >= 2


async def answers(url: str) -> list[int]:
    """What the server answers to too large a file, to sessions that fill it, and to one more."""
    got: list[int] = []

    async def upload(viewer: Viewer, size: int) -> None:
        try:
            await viewer.upload("text", "x.txt", b"a bank\n" * (size // 7))
            got.append(204)
        except HTTPError as error:
            got.append(error.code)
        except URLError:  # the answer came, and the end of the connection, before all was sent
            got.append(413)

    async with AsyncExitStack() as stack:
        viewers = [await stack.enter_async_context(Viewer(url)) for _ in range(6)]
        for viewer in viewers:
            await viewer.open("Word_Senses", **{"from": "text file", "senseword": "nowhere"})
        await upload(viewers[0], 1_060_000)
        for viewer in viewers[:5]:  # four fill it
            await upload(viewer, 1_040_000)
        await asyncio.sleep(5)  # those that look at their file keep it
        assert "occurs nowhere" in str((await viewers[0].rerun()).problems)
        await upload(viewers[5], 100_000)
        assert "occurs nowhere" in str((await viewers[0].rerun()).problems)
        run = await viewers[1].rerun()
        assert not run.problems
        assert "no longer on the server" in str([one.html.body for one in run.of_kind("html")])
    return got


def test_a_server_keeps_within_the_limits() -> None:
    port = free_port()
    command = [sys.executable, "-c", SMALLER, "run", "app.py", *at_port(port)]
    command += ["--server.maxUploadSize", "1"]
    with serving(command, port, cwd=ROOT, env=os.environ) as (url, _):
        assert asyncio.run(answers(url)) == [413, *[204] * 4, 507, 204]
        with urllib.request.urlopen(f"{url}/_stcore/metrics") as page:
            metrics = page.read().decode()
    (line,) = [line for line in metrics.splitlines() if 'cache_type="UploadedFileManager"' in line]
    assert 3 * 1_040_000 < float(line.split()[-1]) <= 2**22


def test_fields_are_counted_wherever_they_stand() -> None:
    message = BackMsg()
    asked = message.rerun_script
    for number in range(3):
        asked.widget_states.widgets.add(id=f"field {number}", double_value=0.5)
    asked.cached_message_hashes.extend(["", "one"])
    content = message.SerializeToString()
    once, repeated = 1 + 1, 3 * (1 + 2) + 2
    assert few_fields(content, once + repeated)
    assert not few_fields(content, once + repeated - 1)
    assert few_fields(content + content, once + 2 * repeated), "the parts of a message add up"
    assert not few_fields(content + content, once + 2 * repeated - 1)
    for damaged in (b"\x80", b"\xff" * 20, b"\x0b", content + b"\x0c"):
        assert not few_fields(damaged)


@pytest.mark.parametrize(
    "message",
    # More fields than one may have, more bytes, and more than uvicorn takes (maxMessageSize).
    [empty_states(MAX_FIELDS), large(1_000_000), large(8_000_000)],
    ids=["fields", "bytes", "frame"],
)
def test_the_app_as_it_is_started_has_this_door(address: str, message: bytes) -> None:
    stream = address.replace("http", "ws", 1) + "/_stcore/stream"
    assert asyncio.run(send_message(stream, message)) == TOO_BIG
    assert asyncio.run(send_message(stream, large(990_000), seconds=1)) is None, "it stays open"


def test_the_largest_honest_message_enters(address: str) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert not settings["server"]["enableWebsocketCompression"], "no bound holds for many in a read"
    text = "\N{SNAKE}" * MAX_CHARACTERS  # twelve characters each in an address

    async def visit() -> int:
        async with Viewer(address) as viewer:
            run = await viewer.open("Tokens", a=text, b=text)
            assert not run.problems
            in_address = len(urlencode(viewer.query))  # which is sent twice
            return 2 * in_address + 2 * len(text.encode())

    assert asyncio.run(visit()) < settings["server"]["maxWidgetStateSize"] * 1_000_000 / 2


@pytest.fixture(scope="module")
def address() -> Any:
    with running_app() as found:
        yield found
