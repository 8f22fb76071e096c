"""What the server refuses to read of a visitor: messages larger than any page sends."""

import asyncio
import random
import tomllib
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from benchmarks.hostile_sockets import empty_states
from benchmarks.session import Viewer
from bertviz_core.ui.bounds.messages import MOST_FIELDS, TOO_BIG, SmallMessages, few_fields
from bertviz_core.ui.following import LONGEST
from tests.headless import ROOT
from tests.live_app import running_app


def test_fields_are_counted_wherever_they_stand() -> None:
    message = BackMsg()
    asked = message.rerun_script
    for number in range(3):
        asked.widget_states.widgets.add(id=f"field {number}", double_value=0.5)
    asked.cached_message_hashes.extend(["", "one"])
    content = message.SerializeToString()
    fields = 1 + 1 + 3 * (1 + 2) + 2
    assert few_fields(content, fields)
    assert not few_fields(content, fields - 1)
    assert few_fields(content + content, 2 * fields), "the parts of a message add up"
    assert not few_fields(content + content, 2 * fields - 1)


def test_what_is_damaged_ends_the_count() -> None:
    chance = random.Random(0)
    for size in range(2_000):
        few_fields(chance.randbytes(size % 200))


def test_too_many_fields_close_the_socket_before_the_app_sees_them() -> None:
    seen: list[Any] = []
    sent: list[Any] = []
    given = iter([empty_states(100), empty_states(3 * MOST_FIELDS)])

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.extend([await receive(), await receive()])

    async def receive() -> Any:
        return {"type": "websocket.receive", "bytes": next(given)}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(SmallMessages(app)({"type": "websocket"}, receive, send))
    assert [one["type"] for one in seen] == ["websocket.receive", "websocket.disconnect"]
    assert sent == [{"type": "websocket.close", "code": TOO_BIG}]


@pytest.mark.parametrize("size", [3 * MOST_FIELDS, 2_000_000, 24_000_000])
def test_the_app_as_it_is_started_has_this_door(address: str, size: int) -> None:
    async def attack() -> tuple[int | None, object]:
        stream = address.replace("http", "ws", 1) + "/_stcore/stream"
        async with connect(stream, subprotocols=["streamlit"]) as socket:  # type: ignore[list-item]
            extensions = socket.response and socket.response.headers.get("Sec-WebSocket-Extensions")
            try:
                await socket.send(empty_states(size))
                async with asyncio.timeout(30):
                    async for _ in socket:
                        pass
            except ConnectionClosed:
                pass
            return socket.close_code, extensions

    assert asyncio.run(attack()) == (TOO_BIG, None), "and nothing is inflated"


def test_the_largest_honest_message_enters(address: str) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    text = "\N{SNAKE}" * LONGEST  # twelve characters each in an address

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
