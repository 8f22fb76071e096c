"""A hall of phones that follow one lecturer, on one process or on two replicas.

    python -m benchmarks.hall --phones 300
    python -m benchmarks.hall --phones 60 --replicas

All phones come within some seconds, and at each of four stops all vote within five, before and
after its view. With `--replicas` one of two behind nginx is killed in the middle of a vote; its
phones come back, as browsers do. Ends with 1 where a bound is missed: no vote lost or doubled, the
lecturer's own actions, how soon phones see the next question, what a phone takes. Traffic goes to
the loopback alone and ends by itself.
"""

import argparse
import asyncio
import itertools
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from websockets.exceptions import WebSocketException

from benchmarks import report
from benchmarks.app_server import RunningApp, copied_app, running
from benchmarks.load import Server, look_at, p95
from benchmarks.replicas import replicated
from benchmarks.session import ConnectionLost, Run, Viewer
from benchmarks.viewers import RETRY

# Stops of the tour whose answers are chosen, with the page that settles each.
STOPS = {2: "Tokens", 3: "Input_Embeddings", 5: "Inside_the_Model", 6: "Inside_the_Model"}
VOTING = 5.0  # seconds within which all vote
ANSWERS = ("true", "false", "depends")
MOST_ACTION, MOST_SEEN, MOST_MEGABYTES = 1.0, 3.0, 1.0
MISSED: list[str] = []


class Phone(Viewer):
    """A tab of a phone, which notes when it saw each question."""

    def __init__(self, url: str, number: int) -> None:
        super().__init__(url)
        # What Streamlit sets for a browser: a secret under a mask.
        self.cookies["_streamlit_xsrf"] = f"2|00000000|{number:032x}|{int(time.time())}"
        self.number = number
        self.saw: dict[str, float] = {}  # when a question could first be answered, by its button
        self.bytes = 0

    def again(self) -> "Phone":
        phone = Phone(self._url, self.number)
        phone.page, phone.query, phone.saw = self.page, dict(self.query), self.saw
        phone.cookies = dict(self.cookies)
        return phone

    def _take(self, message: Any) -> None:
        self.bytes += message.ByteSize()
        super()._take(message)

    def _look_at(self, element: Any, fragment: str) -> str:
        kind = super()._look_at(element, fragment)
        if kind == "button":
            self.saw.setdefault(element.button.id.split("-", 2)[2], time.monotonic())
        return kind


class Room:
    """The phones of a hall; those whose connection is lost come back."""

    def __init__(self, url: str, code: str, stack: AsyncExitStack) -> None:
        self.url, self.code, self._stack = url, code, stack
        self.phones: list[Phone] = []
        self.votes: list[float] = []
        self.back = 0

    async def enter(self, number: int, after: float) -> None:
        await asyncio.sleep(after)
        phone = await self._stack.enter_async_context(Phone(self.url, number))
        await phone.open("Hall", hall=self.code)
        self.phones.append(phone)

    async def vote(self, place: int, asked: str) -> None:
        """Answer once, at some moment; go on until the answer has arrived."""
        draw = random.Random(f"{place} {asked}")
        key = f"{draw.choice(ANSWERS)}-{asked}"
        await asyncio.sleep(draw.uniform(0, VOTING))
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            phone = self.phones[place]
            if not phone.has(key):
                await asyncio.sleep(0.1)
                continue
            try:
                begun = time.perf_counter()
                await phone.press(key)
                self.votes.append(time.perf_counter() - begun)
                return
            except ConnectionLost:
                await self._come_back(place)

    async def _come_back(self, place: int) -> None:
        while True:
            try:
                phone = await self._stack.enter_async_context(self.phones[place].again())
                await phone.open("Hall", hall=self.code)
            except (WebSocketException, OSError, ConnectionLost):
                await asyncio.sleep(RETRY)
                continue
            self.phones[place] = phone
            self.back += 1
            return

    async def bring_back(self) -> None:
        """Let all whose connection has gone come back."""
        lost = [place for place, phone in enumerate(self.phones) if phone.gone.is_set()]
        await asyncio.gather(*(self._come_back(place) for place in lost))


class Lecturer(Viewer):
    """The projector: it keeps the key of its hall, as the address of a browser does."""

    lecture = ""

    def _take(self, message: Any) -> None:
        if message.WhichOneof("type") == "page_info_changed":
            given = dict(urllib.parse.parse_qsl(message.page_info_changed.query_string))
            self.lecture = given.get("lecture", self.lecture)
        super()._take(message)

    async def at(self, number: int, **query: str) -> Run:
        """Go to a stop of the tour."""
        given = {"tour": str(number), "present": "light", **query}
        return await self.open(STOPS[number], **given, lecture=self.lecture)


class Seen(NamedTuple):
    """What happened in a talk, in seconds."""

    code: str
    actions: list[float]  # of the lecturer
    questions: list[float]  # until a phone could answer
    votes: list[float]
    came_back: int
    sent: list[int]  # bytes, by phone
    lasted: float


async def talk(options: argparse.Namespace, url: str, servers: list[RunningApp]) -> Seen:
    """Lead a hall through four stops."""
    actions: list[float] = []
    questions: list[float] = []
    async with AsyncExitStack() as stack:
        lecturer = await stack.enter_async_context(Lecturer(url))
        await lecturer.at(2)
        await lecturer.press("hall-open")
        code = lecturer.lecture.partition(".")[0]
        room = Room(url, code, stack)
        before = total(servers)
        ramp = options.phones / 30
        entering = (room.enter(n, ramp * n / options.phones) for n in range(options.phones))
        await asyncio.gather(*entering)
        here = total(servers)
        begun, killed = time.monotonic(), False
        for number, round_ in itertools.product(STOPS, (1, 2)):
            if round_ == 1:
                moved = time.monotonic()
                actions.append((await lecturer.at(number)).seconds)
            else:
                shown = {f"guess{number}": "shown"}
                actions.append((await lecturer.at(number, **shown)).seconds)
                moved = time.monotonic()
                actions.append((await lecturer.press("hall-2-nothing")).seconds)
            votes = [room.vote(place, f"{number}-{round_}") for place in range(options.phones)]
            if options.replicas and (number, round_) == (3, 2):
                votes.append(kill(servers[0].pid, VOTING / 2))
                killed = True
            await asyncio.gather(*votes)
            await room.bring_back()
            if lecturer.gone.is_set():
                key = lecturer.lecture
                lecturer = await stack.enter_async_context(Lecturer(url))
                lecturer.lecture = key
                await lecturer.at(number, **({f"guess{number}": "shown"} if round_ > 1 else {}))
            actions.append((await lecturer.press(f"hall-{round_}-answers")).seconds)
            if not killed:
                key = f"{ANSWERS[0]}-{number}-{round_}"
                questions += [phone.saw[key] - moved for phone in room.phones]
        lasted = time.monotonic() - begun
        if not killed:
            print_servers(before, here, total(servers), lasted, options.phones)
        sent = [phone.bytes for phone in room.phones]
    return Seen(code, actions, questions, room.votes, room.back, sent, lasted)


async def kill(pid: int, after: float) -> None:
    """End a replica in the middle of a vote, as a machine that goes."""
    await asyncio.sleep(after)
    os.kill(pid, signal.SIGKILL)


def total(servers: list[RunningApp]) -> Server:
    """What all processes take now."""
    each = [look_at(server.pid) for server in servers]
    return Server(sum(one.megabytes for one in each), sum(one.processor for one in each))


def print_servers(start: Server, here: Server, end: Server, lasted: float, phones: int) -> None:
    """What a phone takes of the servers."""
    came = 1000 * (here.processor - start.processor) / phones
    used = 1000 * (end.processor - here.processor) / phones / (lasted / 60)
    report.figure("processor time of a phone that comes", came, "ms")
    report.figure("processor time of a phone a minute", used, "ms")
    report.figure("processors in use", (end.processor - here.processor) / lasted, "x")
    megabytes = (end.megabytes - start.megabytes) / phones
    bound("memory a phone", megabytes, "MB", MOST_MEGABYTES)


def bound(name: str, value: float, unit: str, most: float) -> None:
    """Print a figure beside its bound, and remember whether it was missed."""
    report.target(name, value, unit, most=most)
    if not value <= most:
        MISSED.append(name)


def counted(store: Path, code: str) -> Counter[tuple[int, int]]:
    """How many votes the store holds, by question and round."""
    with sqlite3.connect(store) as file:
        asked = "SELECT question, round, COUNT(*), COUNT(DISTINCT phone) FROM votes WHERE code=?"
        rows = file.execute(f"{asked} GROUP BY question, round", [code]).fetchall()
    return Counter({(question, round_): votes for question, round_, votes, _ in rows})


@contextmanager
def servers(options: argparse.Namespace) -> Iterator[tuple[str, list[RunningApp], Path]]:
    """One process, or two behind nginx; their address, and the store."""
    if options.replicas:
        with replicated() as pair:
            cache = Path(pair.environment["HF_HUB_CACHE"]).parent
            yield pair.url, pair.replicas, cache / "bertviz" / "halls.sqlite"
        return
    with tempfile.TemporaryDirectory() as name:
        environment = {"HF_HUB_CACHE": f"{name}/cache/hub"}
        with running(copied_app(Path(name) / "app"), environment) as server:
            yield server.url, [server], Path(name) / "cache" / "bertviz" / "halls.sqlite"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--phones", type=int, default=300)
    parser.add_argument("--replicas", action="store_true", help="two, one of them killed")
    options = parser.parse_args()
    report.heading(f"A hall of {options.phones} phones")
    with servers(options) as (url, running_ones, store):
        seen = asyncio.run(talk(options, url, running_ones))
        votes = counted(store, seen.code)
    expected = len(STOPS) * 2 * options.phones
    bound("votes lost", expected - votes.total(), "", 0)
    bound("questions with more votes than phones", sum(n > options.phones for n in votes.values()),
          "", 0)  # fmt: skip
    bound("the lecturer's actions, 95th percentile", p95(seen.actions), "s", MOST_ACTION)
    bound("until a phone sees the next question, 95th percentile", p95(seen.questions), "s",
          MOST_SEEN)  # fmt: skip
    report.figure("a vote, 95th percentile", p95(seen.votes), "s")
    report.figure("sent to a phone, the most", max(seen.sent) / 1e6, "MB")
    report.figure("phones that lost their connection and came back", seen.came_back, "")
    if MISSED:
        sys.exit(f"missed: {', '.join(MISSED)}")


if __name__ == "__main__":
    main()
