"""Those who are in a hall: phones that vote, and a lecturer with its key."""

import asyncio
import json
import random
import re
import time
import urllib.parse
from contextlib import suppress
from typing import Any

from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

from benchmarks.app_server import ROOT
from benchmarks.session import XSRF, ConnectionLost, Run, Told, Viewer, cookie_header
from bertviz_core.ui.tour.stops import STOPS as ALL_STOPS
from bertviz_core.ui.tour.stops import VERDICTS
from bertviz_core.ui.tour.tour import SHOWN

VOTING, MAX_VOTING = 5.0, 60.0  # seconds within which all vote, and until a vote is given up
_SCRIPT = (ROOT / "bertviz_core" / "ui" / "browser" / "phone.js").read_text("utf-8")
EVERY, MAX_WAIT, SPREAD = (  # seconds
    int(re.findall(rf"const {name} = (\d+);", _SCRIPT)[0]) / 1000
    for name in ("EVERY", "MAX_WAIT", "SPREAD")
)
Asked = tuple[int, int]  # a stop and a round


class Phone(Viewer):
    """A tab of a phone: phone.js without a browser, which notes when it saw each question."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.gave: dict[Asked, str] = {}  # its votes
        self.saw: dict[Asked, float] = {}  # when a question could first be answered
        self.waited: list[float] = []  # seconds until the page knew of a vote
        self.bytes = 0
        self.problems: list[str] = []
        self.taken: set[Asked] = set()  # the votes that the page knows of
        self._connection: Any = None  # its reader and writer
        self._given: list[Any] = []  # stop, round, what is shown ...: of the last run
        self._filed: list[Any] | None = None  # and of the file
        self._notice = ""
        self._telling = asyncio.Lock()
        self._looking: asyncio.Task[None] | None = None
        self._moving: asyncio.Task[None] | None = None

    @property
    def secret(self) -> str:
        """What its cookie hides under a mask, as Streamlit reads it."""
        return (decode_xsrf_token_string(self.cookies[XSRF])[0] or b"").hex()

    async def __aexit__(self, *problem: Any) -> None:
        for task in (self._looking, self._moving):
            if task:
                task.cancel()
        if self._connection:
            self._connection[1].close()
        await super().__aexit__(*problem)

    async def enter(self, code: str) -> None:
        """Come into a hall, and follow it."""
        await self.open("Hall", hall=code)
        self._looking = asyncio.create_task(self._look())

    async def tell(self, event: str, value: object) -> None:
        """Run its part of the page, one run at a time."""
        async with self._telling:
            await self.press("phone", Told(event, value))

    async def vote(self, own: int, number: int, round_: int) -> None:
        """Give the answer that follows from its own number; say it again until the hall has it."""
        draw = random.Random(f"{own} {number} {round_}")
        answer = self.gave[number, round_] = draw.choice(VERDICTS)
        await asyncio.sleep(draw.uniform(0, VOTING))
        deadline, begun = time.monotonic() + MAX_VOTING, 0.0
        while time.monotonic() < deadline:
            if self.asked() == (number, round_):
                begun = begun or time.perf_counter()
                await self.tell("said", [number, round_, answer])
            if (number, round_) in self.taken:
                self.waited.append(time.perf_counter() - begun)
                return
            await asyncio.sleep(0.05)

    def asked(self) -> Asked | None:
        """The question that it shows."""
        number, round_, stage = (self._filed or self._given or [0, 0, ""])[:3]
        asked = (number, round_)
        return asked if number and stage == "nothing" and asked not in self.taken else None

    async def _look(self) -> None:
        while True:
            next_ = time.monotonic() + EVERY
            if self._notice:  # else it is before the door
                await self._look_once()
            await asyncio.sleep(next_ - time.monotonic())

    async def _look_once(self) -> None:
        try:
            async with asyncio.timeout(MAX_WAIT):
                self._filed = await self._read_notice()
        except (OSError, EOFError):
            self._connection = None
            return
        self._note()
        if self._is_behind() and (self._moving is None or self._moving.done()):
            self._moving = asyncio.create_task(self._move())

    async def _read_notice(self) -> list[Any] | None:
        """Over a connection that stays open, as browsers do; by hand, which takes the least."""
        host = urllib.parse.urlsplit(self._url).netloc
        if self._connection is None:
            self._connection = await asyncio.open_connection(*host.split(":"))
        reader, writer = self._connection
        known = "-".join(map(str, (self._filed or self._given)[:3]))
        writer.write(
            f"GET /{self._notice}?{known} HTTP/1.1\r\nHost: {host}\r\n"
            f"Cookie: {cookie_header(self.cookies)}\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        body = await reader.readexactly(int(length[1]) if length else 0)
        self.bytes += len(head) + len(body)
        return json.loads(body) if b" 200 " in head[:20] else None

    def _is_behind(self) -> bool:
        return self._filed is None or (
            self._filed != self._given and not self.asked() and self._filed[2] != "answers"
        )

    async def _move(self) -> None:
        await asyncio.sleep(random.uniform(0, SPREAD))
        if self._is_behind():
            with suppress(ConnectionLost):
                await self.tell("moved", time.time_ns())

    def _note(self) -> None:
        if asked := self.asked():
            self.saw.setdefault(asked, time.monotonic())

    def _take(self, message: Any) -> None:
        self.bytes += message.ByteSize()
        super()._take(message)

    def _look_at(self, element: Any, fragment: str) -> str:
        kind = super()._look_at(element, fragment)
        if kind == "bidi_component":
            given = json.loads(element.bidi_component.bytes)
            self._given, self._notice = given["state"], given["notice"]
            pairs = (one.split("-") for one in given["said"])
            self.taken = {(int(number), int(round_)) for number, round_ in pairs}
            self._note()
        elif kind == "html" and 'role="alert"' in (body := element.html.body):
            self.problems += [body] if "tries again by itself" not in body else []  # at the door
        return kind


class Lecturer(Viewer):
    """The projector: it keeps the key of its hall, as the address of a browser does."""

    lecture = ""

    @property
    def code(self) -> str:
        """That of its hall."""
        return self.lecture.partition(".")[0]

    async def let_all_in(self) -> None:
        """Press the button for a crowd of one address, once it is there."""
        while "hall-door-all" not in self.keys:
            await asyncio.sleep(0.5)
        await self.press("hall-door-all")

    def _take(self, message: Any) -> None:
        if message.WhichOneof("type") == "page_info_changed":
            given = dict(urllib.parse.parse_qsl(message.page_info_changed.query_string))
            self.lecture = given.get("lecture", self.lecture)
        super()._take(message)

    async def at(self, number: int, **query: str) -> Run:
        """Go to a stop of the tour."""
        given = {"tour": str(number), "present": "light", "lecture": self.lecture, **query}
        page = ALL_STOPS[number - 1].page
        return await self.open(page, **{name: value for name, value in given.items() if value})

    async def see(self, number: int) -> Run:
        """Show the view of a stop."""
        return await self.at(number, **{f"guess{number}": SHOWN})
