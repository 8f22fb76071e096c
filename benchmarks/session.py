"""A viewer without a browser: one session over the app's own WebSocket protocol.

A viewer does what a browser does: it connects to `/_stcore/stream`, asks for runs of the script
with `BackMsg`s (address, page, values of the widgets it changed), reads all `ForwardMsg`s with
compression on offer, follows fragments that run by themselves, and waits until the server says that
the script has finished. Nothing is drawn.
"""

import asyncio
import time
import urllib.parse
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from benchmarks.upload import PRESSED, UploadedFile, cookie_header, cookies_of, put_file, put_value

MAX_WAIT = 120.0  # seconds for one run


class ViewerError(Exception):
    """The server did not do what a browser could work with."""


class ConnectionLost(ViewerError):
    """The server, or what is between, has closed the connection."""


@dataclass
class Run:
    """What one run of a script sent.

    Attributes:
        seconds: From asking to the message that the script has finished.
        frames: Number of messages.
        sent: Bytes of all messages, before compression.
        kinds: Number of messages by kind: "new_session", "plotly_chart", "html", "container" ...
        elements: The elements among them, in order.
        problems: Exceptions shown, and the app's own sentences of error.
    """

    seconds: float = 0.0
    frames: int = 0
    sent: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    elements: list[Any] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[Any]:
        """Its elements of one kind."""
        return [element for element in self.elements if element.WhichOneof("type") == kind]


class Viewer:
    """One browser tab.

    Attributes:
        page: Name of the page it is on, as in the address; "" is the first one.
        query: Names and values in the address.
        fragments: The fragments that run by themselves now.
        last: What the last run sent, or has sent so far.
        cookies: What the server wants to see again, by name.
        gone: Set once the connection has been lost.
    """

    def __init__(self, url: str) -> None:
        self.page = ""
        self.query: dict[str, str] = {}
        self.fragments: dict[str, asyncio.Task[None]] = {}
        self.last = Run()
        self.cookies: dict[str, str] = {}
        self.gone = asyncio.Event()
        self._url = url.rstrip("/")
        self._values: dict[str, object] = {}  # of the widgets it has changed, by key
        self._ids: dict[str, str] = {}  # of the page's widgets, by key
        self._fragment_of: dict[str, str] = {}  # the fragment each widget stands in, by key
        self._page_hash = ""
        self._session = ""
        self._known: dict[str, ForwardMsg] = {}  # large messages, which are not sent again
        self._upload_urls: asyncio.Queue[Any] = asyncio.Queue()
        self._socket: ClientConnection | None = None
        self._finished: asyncio.Queue[int | None] = asyncio.Queue()  # None: the connection is gone
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        address = self._url.replace("http", "ws", 1) + "/_stcore/stream"
        self._socket = await connect(
            address,
            subprotocols=["streamlit"],  # type: ignore[list-item]  # a NewType of str
            max_size=None,
            open_timeout=60,
            ping_timeout=120,
            additional_headers={"Cookie": cookie_header(self.cookies)} if self.cookies else None,
        )
        if self._socket.response is not None:
            self.cookies |= cookies_of(self._socket.response.headers.get_all("Set-Cookie"))
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *problem: Any) -> None:
        for task in self.fragments.values():
            task.cancel()
        if self._reader is not None:
            self._reader.cancel()
        if self._socket is not None:
            with suppress(Exception):
                await self._socket.close()

    def again(self) -> "Viewer":
        """The same tab before it connects anew: its address and cookies, and nothing else."""
        viewer = Viewer(self._url)
        viewer.page, viewer.query = self.page, dict(self.query)
        viewer.cookies = dict(self.cookies)
        return viewer

    async def open(self, page: str, **query: str) -> Run:
        """Go to a page, as a click in the sidebar does, and wait until its script has finished."""
        self.page, self.query = page, dict(query)
        self._ids, self._values, self._fragment_of = {}, {}, {}
        return await self.rerun()

    async def change(self, key: str, value: object) -> Run:
        """Change a widget and wait for the run of the script, or of the widget's fragment.

        Raises:
            ViewerError: The page has no such widget, or the run was not finished in time.
        """
        if key not in self._ids:
            raise ViewerError(f"no widget {key} on {self.page}")
        self._values[key] = value
        if isinstance(value, str):
            self.query[key] = value
        return await self.rerun(self._fragment_of.get(key, ""))

    def has(self, key: str) -> bool:
        """Whether the page has shown a widget with this key."""
        return key in self._ids

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
        """Give a file to a file uploader, as a browser does; the next run has it.

        Raises:
            ViewerError: The page has no such uploader.
        """
        if key not in self._ids:
            raise ViewerError(f"no uploader {key} on {self.page}")
        message = BackMsg()
        wanted = message.file_urls_request
        wanted.request_id, wanted.session_id = f"{name}-{time.monotonic_ns()}", self._session
        wanted.file_names.append(name)
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(MAX_WAIT):
            urls = await self._upload_urls.get()
        address = urllib.parse.urljoin(self._url, urls.upload_url)
        await asyncio.to_thread(put_file, address, name, content, self.cookies)
        self._values[key] = UploadedFile(urls, name, len(content))

    async def rerun(self, fragment: str = "") -> Run:
        """Ask for a run of the script, or of one of its fragments, and wait until it is finished.

        Raises:
            ViewerError: It was not finished in time.
            ConnectionLost: The connection was closed before or while it ran.
        """
        while not self._finished.empty():
            self._finished.get_nowait()
        wanted = (
            ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
            if fragment
            else ForwardMsg.FINISHED_SUCCESSFULLY
        )
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
        assert self._socket is not None
        try:
            await self._socket.send(message.SerializeToString())
        except ConnectionClosed:
            raise ConnectionLost(f"{self.page}: the connection is gone") from None

    async def _read(self) -> None:
        assert self._socket is not None
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
        kind: str = message.WhichOneof("type") or "empty"
        if kind == "delta":
            delta = message.delta
            kind = str(delta.WhichOneof("type"))
            if kind == "new_element":
                kind = self._look_at(delta.new_element, delta.fragment_id)
            elif kind == "add_block":
                kind = "container"
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
            asked = message.auto_rerun
            if asked.fragment_id not in self.fragments:
                self.fragments[asked.fragment_id] = asyncio.create_task(
                    self._follow(asked.fragment_id, asked.interval)
                )
        elif kind == "stop_auto_rerun":
            self._stop(list(message.stop_auto_rerun.fragment_ids))
        elif kind == "file_urls_response":
            self._upload_urls.put_nowait(message.file_urls_response.file_urls[0])
        elif kind == "page_not_found":
            self.last.problems.append("page not found")
        self.last.kinds[kind] += 1

    def _look_at(self, element: Any, fragment: str) -> str:
        kind: str = element.WhichOneof("type") or "empty"
        self.last.elements.append(element)
        inner = getattr(element, kind, None)
        if kind == "exception":
            self.last.problems.append(f"{inner.type}: {inner.message}")  # type: ignore[union-attr]
        elif kind == "html" and 'role="alert"' in inner.body:  # type: ignore[union-attr]
            self.last.problems.append(inner.body)  # type: ignore[union-attr]
        name = getattr(inner, "id", "")
        if name.startswith("$$ID-"):  # such as $$ID-0f3a...-KEY
            key = name.split("-", 2)[2]
            self._ids[key] = name
            self._fragment_of[key] = fragment
        return kind

    def _stop(self, fragments: list[str]) -> None:
        for fragment in fragments:
            if task := self.fragments.pop(fragment, None):
                task.cancel()

    async def _follow(self, fragment: str, interval: float) -> None:
        with suppress(ConnectionLost):
            while True:
                await asyncio.sleep(interval)
                await self._ask(fragment, by_itself=True)
