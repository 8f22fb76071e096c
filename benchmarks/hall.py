"""A hall of phones that follow one lecturer, on one process or on two replicas.

    python -m benchmarks.hall --phones 300
    python -m benchmarks.hall --phones 60 --replicas

The lecturer goes through the stops once before, so that the model and the views are loaded. Then
all phones come, ten a second, each with the cookie that the server gives it, and at each of four
stops all vote within five seconds, before and after its view. With `--replicas` one of two behind
nginx is killed in the middle of a vote, the one of the lecturer; all whom it had come back, as
browsers do. Ends with 1 where a bound is missed: each phone has in the store the one vote it gave,
a question and round; the lecturer's own actions; how soon phones see the next question; memory a
phone. Traffic goes to the loopback alone and ends by itself.
"""

import argparse
import asyncio
import itertools
import math
import os
import random
import signal
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string
from websockets.exceptions import WebSocketException

from benchmarks import report
from benchmarks.app_server import RunningApp, copied_app, running
from benchmarks.load import Server, look_at, p95
from benchmarks.replicas import replicated
from benchmarks.session import ConnectionLost, Run, Viewer
from benchmarks.upload import XSRF, cookie_header, cookies_of
from benchmarks.viewers import RETRY
from bertviz_core.hall.store import Halls
from bertviz_core.ui.tour.stops import SHOWN
from bertviz_core.ui.tour.stops import STOPS as ALL_STOPS

STOPS = (2, 4, 6, 9)  # whose answers are chosen; the last needs the encoder
COMING = 10  # phones a second
VOTING, LONGEST = 5.0, 60.0  # seconds within which all vote, and until a vote is given up
ANSWERS = ("true", "false", "depends")
MOST_ACTION, MOST_SEEN, MOST_MEGABYTES = 1.0, 3.0, 1.0
MISSED: list[str] = []


class Phone(Viewer):
    """A tab of a phone, which notes when it saw each question."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.gave: dict[tuple[int, int], str] = {}  # its votes, by question and round
        self.saw: dict[str, float] = {}  # when a question could first be answered, by its button
        self.bytes = 0
        self.problems: list[str] = []
        self.now: set[str] = set()  # the buttons of the last run, and of the one that is on
        self._drawn: set[str] = set()

    @property
    def secret(self) -> str:
        """What its cookie hides under a mask, as Streamlit reads it."""
        return (decode_xsrf_token_string(self.cookies[XSRF])[0] or b"").hex()

    async def __aenter__(self) -> Self:
        """Get the cookie that a browser gets before it connects, under another mask each time."""
        self.cookies |= await asyncio.to_thread(self._greeted)
        await super().__aenter__()
        return self

    def _greeted(self) -> dict[str, str]:
        health = urllib.request.Request(f"{self._url}/_stcore/health")
        health.add_header("Cookie", cookie_header(self.cookies))
        with urllib.request.urlopen(health, timeout=60) as answer:
            return cookies_of(answer.headers.get_all("Set-Cookie") or [])

    def again(self) -> "Phone":
        phone = Phone(self._url)
        phone.page, phone.query, phone.saw = self.page, dict(self.query), self.saw
        phone.cookies, phone.gave, phone.bytes = dict(self.cookies), self.gave, self.bytes
        phone.problems = self.problems
        return phone

    def _take(self, message: Any) -> None:
        self.bytes += message.ByteSize()
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._drawn = set()
        super()._take(message)
        if kind == "script_finished":
            self.now = self._drawn

    def _look_at(self, element: Any, fragment: str) -> str:
        kind = super()._look_at(element, fragment)
        if kind == "button":
            key = element.button.id.split("-", 2)[2]
            self.saw.setdefault(key, time.monotonic())
            self._drawn.add(key)
        elif kind == "html" and 'role="alert"' in element.html.body:
            self.problems.append(element.html.body)
        return kind


class Room:
    """The phones of a hall; those whose connection is lost come back."""

    def __init__(self, url: str, code: str, stack: AsyncExitStack) -> None:
        self.url, self.code, self._stack = url, code, stack
        self.phones: list[Phone] = []
        self.votes: list[float] = []
        self.back = 0

    async def enter(self, after: float) -> None:
        await asyncio.sleep(after)
        phone = await self._stack.enter_async_context(Phone(self.url))
        await phone.open("Hall", hall=self.code)
        self.phones.append(phone)

    async def vote(self, place: int, number: int, round_: int) -> None:
        """Answer at some moment; press again until the buttons are gone."""
        draw = random.Random(f"{place} {number} {round_}")
        answer = self.phones[place].gave[number, round_] = draw.choice(ANSWERS)
        key = f"{answer}-{number}-{round_}"
        await asyncio.sleep(draw.uniform(0, VOTING))
        deadline, begun = time.monotonic() + LONGEST, 0.0
        while time.monotonic() < deadline:
            phone = self.phones[place]
            try:
                if key in phone.now:
                    begun = begun or time.perf_counter()
                    await phone.press(key)
                elif begun:
                    self.votes.append(time.perf_counter() - begun)
                    return
                await asyncio.sleep(0.05)
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
        given = {"tour": str(number), "present": "light", "lecture": self.lecture, **query}
        page = ALL_STOPS[number - 1].page
        return await self.open(page, **{name: value for name, value in given.items() if value})

    async def see(self, number: int) -> Run:
        """Show the view of a stop."""
        return await self.at(number, **{f"guess{number}": SHOWN})

    async def back(self, stack: AsyncExitStack, number: int, round_: int) -> "Lecturer":
        """Load the address anew in another tab, as a browser does whose connection is gone."""
        while True:
            lecturer = Lecturer(self._url)
            lecturer.cookies, lecturer.lecture = dict(self.cookies), self.lecture
            try:
                await stack.enter_async_context(lecturer)
                await (lecturer.at if round_ == 1 else lecturer.see)(number)
                return lecturer
            except (WebSocketException, OSError, ConnectionLost):
                await asyncio.sleep(RETRY)


class Seen(NamedTuple):
    """What happened in a talk, in seconds."""

    room: Room
    actions: dict[str, float]  # of the lecturer, by what was done
    questions: list[float]  # until a phone could answer


async def rehearse(url: str) -> None:
    """Go through the stops once with a phone, so that all is loaded and computed."""
    async with Lecturer(url) as lecturer, AsyncExitStack() as stack:
        await lecturer.at(STOPS[0])
        await lecturer.press("hall-open")
        room = Room(url, lecturer.lecture.partition(".")[0], stack)
        await room.enter(0)
        for number in STOPS:
            await lecturer.at(number)
            await lecturer.see(number)
        await lecturer.press("hall-close")


async def talk(options: argparse.Namespace, url: str, servers: list[RunningApp]) -> Seen:
    """Lead a hall through four stops."""
    for server in servers:
        await rehearse(server.url)
    actions: dict[str, float] = {}
    questions: list[float] = []
    async with AsyncExitStack() as stack:
        lecturer = Lecturer(url)
        if options.replicas:
            lecturer.cookies["replica"] = "a"
        await stack.enter_async_context(lecturer)
        await lecturer.at(STOPS[0])
        actions["open"] = (await lecturer.press("hall-open")).seconds
        room = Room(url, lecturer.lecture.partition(".")[0], stack)
        before = total(servers)
        await asyncio.gather(*(room.enter(n / COMING) for n in range(options.phones)))
        here, begun, killed = total(servers), time.monotonic(), False
        for number, round_ in itertools.product(STOPS, (1, 2)):
            stop = f"{number}, round {round_}"
            moved = time.monotonic()
            if round_ == 1:
                actions[f"go to {stop}"] = (await lecturer.at(number)).seconds
            else:
                actions[f"see {stop}"] = (await lecturer.see(number)).seconds
                moved = time.monotonic()
                actions[f"ask {stop}"] = (await lecturer.press("hall-2-nothing")).seconds
            votes = [room.vote(place, number, round_) for place in range(options.phones)]
            if options.replicas and (number, round_) == (STOPS[1], 2):
                votes.append(kill(servers[0].pid, VOTING / 2))
                killed = True
            await asyncio.gather(*votes)
            await room.bring_back()
            if lecturer.gone.is_set():
                lecturer = await lecturer.back(stack, number, round_)
            shown = await lecturer.press(f"hall-{round_}-answers")
            actions[f"show {stop}"] = shown.seconds
            if not killed and (number, round_) != (STOPS[0], 1):  # which all saw as they came
                key = f"{ANSWERS[0]}-{number}-{round_}"
                until = [phone.saw.get(key, math.inf) - moved for phone in room.phones]
                report.figure(f"stop {stop}: until phones see it, 95th", p95(until), "s")
                questions += until
        if not killed:
            lasted = time.monotonic() - begun
            print_servers(before, here, total(servers), lasted, options.phones)
    return Seen(room, actions, questions)


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
    bound("MB of memory a phone", megabytes, "", MOST_MEGABYTES)


def bound(name: str, value: float, unit: str, most: float) -> None:
    """Print a figure beside its bound, and remember whether it was missed."""
    report.target(name, value, unit, most=most)
    if not value <= most:
        MISSED.append(name)


def print_votes(store: Halls, room: Room) -> None:
    """Whether the store holds of each phone the one vote it gave, a question and round."""
    lost = other = more = 0
    for phone in room.phones:
        kept: Mapping[tuple[int, int], str] = store.of_phone(
            room.code, store.phone(room.code, phone.secret)
        )
        lost += sum(asked not in kept for asked in phone.gave)
        other += sum(kept.get(asked, given) != given for asked, given in phone.gave.items())
        more -= len(kept)
    more += sum(store.answers(room.code, *asked).total()
                for asked in itertools.product(STOPS, (1, 2)))  # fmt: skip
    given = sum(len(phone.gave) for phone in room.phones)
    report.figure("votes given", given, "")
    bound("votes lost", lost, "", 0)
    bound("votes kept other than given", other, "", 0)
    bound("votes of phones that were known twice", more, "", 0)


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
    print(f"  load of the machine before: {os.getloadavg()[0]:.1f}", flush=True)
    with servers(options) as (url, running_ones, store):
        seen = asyncio.run(talk(options, url, running_ones))
        print_votes(Halls(store), seen.room)
    problems = [problem for phone in seen.room.phones for problem in phone.problems]
    bound("sentences of error on phones", len(problems), "", 0)
    slowest = max(seen.actions, key=lambda action: seen.actions[action])
    bound("the lecturer's actions, 95th percentile", p95([*seen.actions.values()]), "s",
          MOST_ACTION)  # fmt: skip
    report.figure(f"... the slowest: {slowest}", seen.actions[slowest], "s")
    bound("until a phone sees the next question, 95th percentile", p95(seen.questions), "s",
          MOST_SEEN)  # fmt: skip
    report.figure("a vote, 95th percentile", p95(seen.room.votes), "s")
    report.figure("MB sent to a phone, the most", max(p.bytes for p in seen.room.phones) / 1e6, "")
    report.figure("phones that lost their connection and came back", seen.room.back, "")
    print(f"  load of the machine after: {os.getloadavg()[0]:.1f}")
    if MISSED:
        sys.exit(f"missed: {', '.join(MISSED)}")


if __name__ == "__main__":
    main()
