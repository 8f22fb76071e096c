"""A viewer without a browser: one session over the app's own WebSocket protocol.

A viewer does what a browser does: it connects to `/_stcore/stream`, asks for runs of the script
with `BackMsg`s (address, page, values of the widgets it changed), reads all `ForwardMsg`s with
compression on offer, follows fragments that run by themselves, and waits until the server says that
the script has finished. Nothing is drawn.
"""

import asyncio
import json
import time
import urllib.parse
import urllib.request
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

MAX_WAIT = 120.0  # seconds for one run
XSRF = "_streamlit_xsrf"
PRESSED = object()  # the value of a button in the run that it asks for


class UploadedFile(NamedTuple):
    """A file that the server has, at the addresses that it gave."""

    urls: Any
    name: str
    size: int


class Told(NamedTuple):
    """What a component tells in the run that it asks for; `event` as in `setTriggerValue`."""

    event: str
    value: object


class ViewerError(Exception):
    """The server did not do what a browser could work with."""


class ConnectionLost(ViewerError):
    """The server, or what is between, has closed the connection."""


@dataclass
class Run:
    """What one run of a script sent."""

    seconds: float = 0.0  # from asking to the message that the script has finished
    frames: int = 0  # messages
    sent: int = 0  # bytes of all messages, before compression
    elements: list[Any] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # exceptions, and sentences of error

    def of_kind(self, kind: str) -> list[Any]:
        """Its elements of one kind."""
        return [element for element in self.elements if element.WhichOneof("type") == kind]


class Viewer:
    """One browser tab, for the time of an `async with`."""

    _socket: ClientConnection
    _reader: asyncio.Task[None]

    def __init__(self, url: str) -> None:
        self.page = ""  # as in the address; "" is the first one
        self.query: dict[str, str] = {}  # in the address
        self.fragments: dict[str, asyncio.Task[None]] = {}  # that run by themselves
        self.last = Run()  # what the last run sent, or has sent so far
        self.cookies: dict[str, str] = {}
        self.gone = asyncio.Event()  # the connection has been lost
        self._url = url.rstrip("/")
        self._values: dict[str, object] = {}  # of the widgets it has changed, by key
        self._ids: dict[str, str] = {}  # of the page's widgets, by key
        self._fragment_of: dict[str, str] = {}  # the fragment each widget stands in, by key
        self._page_hash = ""
        self._session = ""
        self._known: dict[str, ForwardMsg] = {}  # large messages, which are not sent again
        self._upload_urls: asyncio.Queue[Any] = asyncio.Queue()
        self._finished: asyncio.Queue[int | None] = asyncio.Queue()  # None: the connection is gone

    async def __aenter__(self) -> Self:
        """Connect with the cookies that a browser has then: each visit masks them anew."""
        self.cookies |= await asyncio.to_thread(given_cookies, self._url, self.cookies)
        address = self._url.replace("http", "ws", 1) + "/_stcore/stream"
        self._socket = await connect(
            address,
            subprotocols=["streamlit"],  # type: ignore[list-item]  # a NewType of str
            max_size=None,
            open_timeout=60,
            ping_timeout=120,
            additional_headers={"Cookie": cookie_header(self.cookies)},
        )
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *problem: Any) -> None:
        for task in (*self.fragments.values(), self._reader):
            task.cancel()
        with suppress(Exception):
            await self._socket.close()

    async def open(self, page: str, **query: str) -> Run:
        """Go to a page, as a click in the sidebar does, and wait until its script has finished."""
        self.page, self.query = page, dict(query)
        self._ids, self._values, self._fragment_of = {}, {}, {}
        return await self.rerun()

    async def change(self, key: str, value: object) -> Run:
        """Change a widget and wait for the run of the script, or of the widget's fragment."""
        if key not in self._ids:
            raise ViewerError(f"no widget {key} on {self.page}")
        self._values[key] = value
        if isinstance(value, str):
            self.query[key] = value
        return await self.rerun(self._fragment_of.get(key, ""))

    @property
    def keys(self) -> list[str]:
        """The keys of the widgets that the page has shown."""
        return list(self._ids)

    async def press(self, key: str, told: object = PRESSED) -> Run:
        """Press a button, or let a component tell something, and wait; else the page as it is."""
        if key not in self._ids:
            return self.last
        self._values[key] = told
        try:
            return await self.rerun(self._fragment_of.get(key, ""))
        finally:
            del self._values[key]

    async def upload(self, key: str, name: str, content: bytes) -> None:
        """Give a file to a file uploader, as a browser does; the next run has it."""
        if key not in self._ids:
            raise ViewerError(f"no uploader {key} on {self.page}")
        message = BackMsg()
        wanted = message.file_urls_request
        wanted.request_id, wanted.session_id = f"{name}-{time.monotonic_ns()}", self._session
        wanted.file_names.append(name)
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(MAX_WAIT):
            urls = await self._upload_urls.get()
        address = urllib.parse.urljoin(self._url, urls.upload_url)
        await asyncio.to_thread(put_file, address, name, content, self.cookies)
        self._values[key] = UploadedFile(urls, name, len(content))

    async def rerun(self, fragment: str = "") -> Run:
        """Ask for a run of the script, or of a fragment, and wait until it is finished."""
        while not self._finished.empty():
            self._finished.get_nowait()
        kind = "FINISHED_FRAGMENT_RUN_SUCCESSFULLY" if fragment else "FINISHED_SUCCESSFULLY"
        wanted = ForwardMsg.ScriptFinishedStatus.Value(kind)
        self.last = Run()
        begun = time.perf_counter()
        await self._ask(fragment)
        try:
            async with asyncio.timeout(MAX_WAIT):
                while (status := await self._finished.get()) != wanted:
                    if status is None:
                        raise ConnectionLost(f"{self.page}: the connection is gone")
        except TimeoutError:
            raise ViewerError(f"{self.page}: not finished in {MAX_WAIT:.0f} s") from None
        self.last.seconds = time.perf_counter() - begun
        return self.last

    async def _ask(self, fragment: str = "", *, by_itself: bool = False) -> None:
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string = urllib.parse.urlencode(self.query)
        asked.page_name = self.page
        asked.cached_message_hashes.extend(self._known)
        if fragment:
            asked.fragment_id, asked.is_auto_rerun = fragment, by_itself
            asked.page_script_hash = self._page_hash
        asked.context_info.timezone, asked.context_info.locale = "Europe/Berlin", "en-US"
        asked.context_info.url = f"{self._url}/{self.page}"
        for key, value in self._values.items():
            if key in self._ids:
                widget = asked.widget_states.widgets.add()
                widget.id = self._ids[key]
                put_value(widget, value)
        try:
            await self._socket.send(message.SerializeToString())
        except ConnectionClosed:
            raise ConnectionLost(f"{self.page}: the connection is gone") from None

    async def _read(self) -> None:
        with suppress(ConnectionClosed):
            async for data in self._socket:
                assert isinstance(data, bytes)
                message = ForwardMsg()
                message.ParseFromString(data)
                self.last.frames += 1
                self.last.sent += len(data)
                if message.metadata.cacheable:
                    self._known[message.hash] = message
                self._take(self._known.get(message.ref_hash, message))
        self._finished.put_nowait(None)
        self.gone.set()

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "delta":
            if message.delta.WhichOneof("type") == "new_element":
                self._look_at(message.delta.new_element, message.delta.fragment_id)
        elif kind == "new_session":
            self._page_hash = message.new_session.page_script_hash
            self._session = message.new_session.initialize.session_id or self._session
            if not message.metadata.run.fragment_ids:
                self._stop(list(self.fragments))
        elif kind == "navigation":
            # A first run is asked for by the page's name, and its hash comes only here: a fragment
            # that ran under the first script's hash would begin that page anew.
            self._page_hash = message.navigation.page_script_hash
        elif kind == "script_finished":
            self._finished.put_nowait(message.script_finished)
        elif kind == "auto_rerun":
            fragment = message.auto_rerun.fragment_id
            if fragment not in self.fragments:
                follow = self._follow(fragment, message.auto_rerun.interval)
                self.fragments[fragment] = asyncio.create_task(follow)
        elif kind == "stop_auto_rerun":
            self._stop(message.stop_auto_rerun.fragment_ids)
        elif kind == "file_urls_response":
            self._upload_urls.put_nowait(message.file_urls_response.file_urls[0])
        elif kind == "page_not_found":
            self.last.problems.append("page not found")

    def _look_at(self, element: Any, fragment: str) -> str:
        kind: str = element.WhichOneof("type") or "empty"
        self.last.elements.append(element)
        inner: Any = getattr(element, kind, None)
        if kind == "exception":
            self.last.problems.append(f"{inner.type}: {inner.message}")
        elif kind == "html" and 'role="alert"' in inner.body:
            self.last.problems.append(inner.body)
        name = getattr(inner, "id", "")
        if name.startswith("$$ID-"):  # such as $$ID-0f3a...-KEY
            key = name.split("-", 2)[2]
            self._ids[key] = name
            self._fragment_of[key] = fragment
        return kind

    def _stop(self, fragments: Iterable[str]) -> None:
        for fragment in fragments:
            if task := self.fragments.pop(fragment, None):
                task.cancel()

    async def _follow(self, fragment: str, interval: float) -> None:
        with suppress(ConnectionLost):
            while True:
                await asyncio.sleep(interval)
                await self._ask(fragment, by_itself=True)


def put_file(address: str, name: str, content: bytes, cookies: Mapping[str, str]) -> None:
    """Send a file to the server's upload route, with what it wants against forged requests."""
    boundary = "----a-file-of-a-viewer"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    body = f"{head}\r\n".encode() + content + f"\r\n--{boundary}--\r\n".encode()
    headers = {
        "Content-Type": f"multipart/form-data; boundary={boundary}",
        "Cookie": cookie_header(cookies),
        "X-Xsrftoken": cookies.get(XSRF, ""),
    }
    request = urllib.request.Request(address, body, headers, method="PUT")
    with urllib.request.urlopen(request, timeout=MAX_WAIT) as answer:
        answer.read()


def given_cookies(url: str, cookies: Mapping[str, str]) -> dict[str, str]:
    """What a server gives a browser that has these, before it connects."""
    address = urllib.parse.urljoin(url, "/_stcore/health")
    health = urllib.request.Request(address, headers={"Cookie": cookie_header(cookies)})
    with urllib.request.urlopen(health, timeout=MAX_WAIT) as answer:
        headers = answer.headers.get_all("Set-Cookie") or []
    pairs = (header.partition(";")[0].partition("=") for header in headers)
    return {name.strip(): value for name, _, value in pairs}


def cookie_header(cookies: Mapping[str, str]) -> str:
    """What a browser sends back."""
    return "; ".join(f"{name}={value}" for name, value in cookies.items())


def put_value(widget: Any, value: object) -> None:
    """Write a value where the message has a place for its type."""
    if value is PRESSED:
        widget.trigger_value = True
    elif isinstance(value, Told):
        widget.id = _make_trigger_id(widget.id, "events")
        widget.json_trigger_value = json.dumps([{"event": value.event, "value": value.value}])
    elif isinstance(value, bool):
        widget.bool_value = value
    elif isinstance(value, str):
        widget.string_value = value
    elif isinstance(value, UploadedFile):
        info = widget.file_uploader_state_value.uploaded_file_info.add()
        info.file_id, info.name, info.size = value.urls.file_id, value.name, value.size
        info.file_urls.CopyFrom(value.urls)
    elif isinstance(value, list) and value and isinstance(value[0], str):
        widget.string_array_value.data.extend(value)
    elif isinstance(value, list):
        widget.double_array_value.data.extend(value)
    else:
        raise TypeError(f"a widget's value is a bool, str or list, not {type(value)}")
