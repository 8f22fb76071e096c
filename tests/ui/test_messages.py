"""What the server refuses to read of a visitor: messages larger than any page sends."""

import asyncio
import tomllib
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.hostile import empty_states, send
from benchmarks.session import Viewer
from bertviz_core.ui.address import MAX_CHARACTERS
from bertviz_core.ui.server import MAX_FIELDS, TOO_BIG, few_fields
from tests.headless import ROOT
from tests.live_app import running_app


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


@pytest.mark.parametrize("size", [3 * MAX_FIELDS, 2_000_000, 24_000_000])
def test_the_app_as_it_is_started_has_this_door(address: str, size: int) -> None:
    stream = address.replace("http", "ws", 1) + "/_stcore/stream"
    assert asyncio.run(send(stream, empty_states(size))) == TOO_BIG


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
