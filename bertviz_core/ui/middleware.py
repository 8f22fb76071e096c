"""What the server refuses to read of a visitor, before it becomes objects in memory.

Streamlit 1.67 bounds the bytes of a message, not what is built of them: 2 bytes are an empty widget
state, which takes 68 in memory, and stays with its session.
"""

from typing import Any

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

# Fields of a message, with those inside one another. The largest honest one has some 300.
MOST_FIELDS = 5_000
TOO_BIG = 1009  # of a WebSocket that closes


class SmallMessages:
    """Closes a WebSocket that sends more fields than any page has; see `st.App`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stand between the server and Streamlit."""

        async def receive_small() -> Message:
            message = await receive()
            data = message.get("bytes") or b""
            if message["type"] == "websocket.receive" and not few_fields(data):
                await send({"type": "websocket.close", "code": TOO_BIG})
                return {"type": "websocket.disconnect", "code": TOO_BIG}
            return message

        await self.app(scope, receive_small if scope["type"] == "websocket" else receive, send)


DOOR = [Middleware(SmallMessages)]


def few_fields(data: bytes, most: int = MOST_FIELDS) -> bool:
    """Whether a `BackMsg` has at most so many fields, and none that cannot be read."""
    within: list[tuple[int, int, Any]] = [(0, len(data), BackMsg.DESCRIPTOR)]
    try:
        while within:
            at, end, kind = within.pop()
            while at < end:
                most -= 1
                if most < 0:
                    return False
                tag, at = _number(data, at)
                if tag & 7 == 0:
                    _, at = _number(data, at)
                elif tag & 7 == 2:
                    size, at = _number(data, at)
                    field = kind.fields_by_number.get(tag >> 3)
                    if field is not None and field.message_type is not None:
                        within.append((at, min(at + size, end), field.message_type))
                    at += size
                else:  # a number of 8 or of 4 bytes
                    at += {1: 8, 5: 4}[tag & 7]
    except LookupError:
        return False
    return True


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of 7 bits a byte, the lowest first, and where the next one begins."""
    value = 0
    for shift in range(0, 70, 7):
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at
    raise IndexError
