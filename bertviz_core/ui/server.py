"""What the server does beside Streamlit: bounds on visitors, what a hall asks, torch in time.

Streamlit 1.67 bounds the bytes of a message, not what is built of them: 2 bytes are an empty widget
state, which takes 68 in memory, and stays with its session. It keeps every file of a session until
its browser has gone, and takes any number of them from whoever has a session, whatever the page
asks for (https://github.com/streamlit/streamlit/issues/3401).
"""

import asyncio
import json
import re
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any

from google.protobuf.message import DecodeError
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import get_option, net_util, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg

from bertviz_core.checkpoints.checkpoint import kept_folder
from bertviz_core.encoder.devices import chosen_device

# As if it were known: Streamlit 1.67 asks checkip.amazonaws.com for it, up to two seconds in which
# it answers nobody, whenever a WebSocket comes from a page of another site.
net_util._external_ip = ""
# Of a message: its bytes, and its fields with those inside one another; the largest honest one has
# some 300. To count them it is built, and let go: 30 MB for a tenth of a second at most.
MAX_SIZE = 1_000_000 * get_option("server.maxWidgetStateSize")
MAX_FIELDS = 5_000
TOO_BIG = 1009  # of a WebSocket that closes

MAX_IN_ALL = 200 * 1024 * 1024  # bytes of the files of all sessions
# Of one session: a tenth, which is one file of the largest size (server.maxUploadSize).
MAX_FILES = 4
MAX_BYTES = MAX_IN_ALL // 10
IN_USE = 60.0  # seconds for which a file that a page has looked at stays, whoever wants room
UPLOAD = re.compile("/_stcore/upload_file/([^/]+)/([^/]+)")
# Pages by their addresses, "" is Home.
RUN_THE_MODEL = ("", "Word_in_Context", "Sentence_Vectors", "Word_Senses")
_looked_at: dict[str, float] = {}  # when a page looked at a file, or it came, by its id


def small_messages(app: ASGIApp) -> ASGIApp:
    """Close a WebSocket that sends more than any page does."""

    async def bounded(scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_small() -> Message:
            message = await receive()
            data = message.get("bytes") or b""
            small = len(data) <= MAX_SIZE and few_fields(data)
            if message["type"] == "websocket.receive" and not small:
                await send({"type": "websocket.close", "code": TOO_BIG})
                return {"type": "websocket.disconnect", "code": TOO_BIG}
            return message

        await app(scope, receive_small if scope["type"] == "websocket" else receive, send)

    return bounded


def few_files(app: ASGIApp) -> ASGIApp:
    """Make room for a file that was uploaded, or answer that there is none."""

    async def bounded(scope: Scope, receive: Receive, send: Send) -> None:
        upload = scope.get("method") == "PUT" and UPLOAD.search(scope["path"])

        async def answer(message: Message) -> None:
            if upload and message.get("status") == HTTPStatus.NO_CONTENT:
                manager = runtime.get_instance().uploaded_file_mgr
                if not make_room(manager, *upload.groups()):
                    message = {**message, "status": HTTPStatus.INSUFFICIENT_STORAGE}
            await send(message)

        await app(scope, receive, answer)

    return bounded


def torch_in_time(app: ASGIApp) -> ASGIApp:
    """Import torch as a browser asks for a page that needs it: it reads Streamlit's own scripts."""

    def import_torch() -> None:
        with suppress(ImportError):  # the page says so
            chosen_device()

    async def bounded(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope, receive, send)
        if scope["type"] == "http" and scope["path"].rpartition("/")[2] in RUN_THE_MODEL:
            threading.Thread(target=import_torch, daemon=True).start()

    return bounded


NOTICES = "halls"  # a folder beside what is kept, with a file for each hall
# Seconds for which a phone waits for something new, and a server that ends waits for the phone;
# seconds between two looks at the file.
HOLD = 8.0
LOOK = 0.5


async def notice(request: Request) -> Response:
    """What a hall is asked, as JSON; who knows it ("?stop-round-shown") is told once it changes."""
    name = request.path_params["name"]
    until = time.monotonic() + HOLD
    while re.fullmatch("[0-9a-f]{24}", name):
        try:  # in the event loop: `StaticFiles` goes to threads, for three times the processor time
            question = (kept_folder() / NOTICES / name).read_bytes()
        except OSError:
            break
        is_known = "-".join(map(str, json.loads(question)[:3])) == request.url.query
        if not is_known or time.monotonic() > until:
            return Response(question, headers={"Cache-Control": "no-store"})
        await asyncio.sleep(LOOK)
    return Response(status_code=HTTPStatus.NOT_FOUND)


MIDDLEWARE = [Middleware(small_messages), Middleware(few_files), Middleware(torch_in_time)]
_NAME = PurePosixPath("/", get_option("server.baseUrlPath").strip("/"), NOTICES, "{name}")
ROUTES = [Route(str(_NAME), notice)]


def looked_at(file_id: str) -> None:
    """Note that a page needs a file; it stays for a minute, whoever wants room."""
    _looked_at[file_id] = time.monotonic()


def make_room(manager: Any, session: str, file_id: str) -> bool:
    """Let files go until a new one fits among all that Streamlit's manager keeps; whether it does.

    Of a session, the newest files stay. When all sessions together hold too much, the file goes
    that no page has looked at for longest; if that was within a minute, the new one goes instead.
    A page whose file has gone asks for it.
    """
    now = time.monotonic()
    files = {
        (one, number): file
        for one, by_id in manager.file_storage.copy().items()
        for number, file in by_id.copy().items()
    }
    for gone in _looked_at.keys() - {number for _, number in files}:
        _looked_at.pop(gone, None)
    _looked_at[file_id] = now
    oldest_first = sorted(files, key=lambda one: _looked_at.get(one[1], 0))
    others = [one for one in oldest_first if one != (session, file_id)]
    of_session = [one for one in others if one[0] == session]

    def remove(one: tuple[str, str]) -> None:
        manager.remove_file(*one)
        files.pop(one, None)

    def size(session: str | None = None) -> int:
        return sum(len(file.data) for (one, _), file in files.items() if session in (None, one))

    while of_session and (len(of_session) >= MAX_FILES or size(session) > MAX_BYTES):
        remove(of_session.pop(0))
    for one in others:
        if size() <= MAX_IN_ALL or _looked_at.get(one[1], 0) > now - IN_USE:
            break
        if one in files:
            remove(one)
    new = files.get((session, file_id))  # None if its session has ended meanwhile
    # Streamlit 1.67 raises at a name with a zero, at every run of the page; no browser sends one.
    fits = size() <= MAX_IN_ALL and (new is None or "\0" not in new.name)
    if not fits:
        remove((session, file_id))
    return fits


def few_fields(data: bytes, most: int = MAX_FIELDS) -> bool:
    """Whether a `BackMsg` can be read, and has at most so many fields in all its parts."""
    try:
        unread: list[Any] = [BackMsg.FromString(data)]
    except DecodeError:
        return False
    while unread:
        for field, value in unread.pop().ListFields():
            values = value if field.is_repeated else [value]
            most -= len(values)
            if most < 0:
                return False
            if field.message_type is not None:
                unread.extend(values)
    return True
