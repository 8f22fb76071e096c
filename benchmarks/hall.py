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
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.app_server import RunningApp, copied_app, running
from benchmarks.hall_viewers import VOTING, Lecturer, Room
from benchmarks.proxy import replicated
from benchmarks.report import p95
from benchmarks.watch import Server, look_at
from bertviz_core.hall.rates import MAX_JOINS
from bertviz_core.hall.store import Halls

STOPS = (2, 4, 6, 9)  # whose answers are chosen; the last needs the encoder
COMING = 10  # phones a second
MAX_ACTION, MAX_SEEN, MAX_MEGABYTES = 0.3, 1.5, 1.0


class Talk(NamedTuple):
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


async def talk(options: argparse.Namespace, url: str, servers: list[RunningApp]) -> Talk:
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
        crowd = options.phones > MAX_JOINS  # of one address
        consent = [lecturer.let_all_in()] if crowd else []
        coming = (room.enter(n / COMING) for n in range(options.phones))
        await asyncio.gather(*coming, *consent)
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
            actions[f"show {stop}"] = (await lecturer.press(f"hall-{round_}-answers")).seconds
            if not killed and (number, round_) != (STOPS[0], 1):  # which all saw as they came
                questions += [p.saw.get((number, round_), math.inf) - moved for p in room.phones]
        if not killed:
            lasted = time.monotonic() - begun
            print_servers(before, here, total(servers), lasted, options.phones)
    return Talk(room, actions, questions)


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
    came, used = here.processor - start.processor, end.processor - here.processor
    report.figure("processor time of a phone that comes", 1000 * came / phones, "ms")
    report.figure("... of one a minute", 1000 * used / phones / (lasted / 60), "ms")
    report.figure("processors in use", used / lasted, "x")
    megabytes = (end.megabytes - start.megabytes) / phones
    report.target("MB of memory a phone", megabytes, "", most=MAX_MEGABYTES)


def print_votes(store: Halls, room: Room) -> None:
    """Whether the store holds of each phone the one vote it gave, a question and round."""
    kept = [store.of_phone(room.code, store.enter(room.code, p.secret)) for p in room.phones]
    gave = [phone.gave for phone in room.phones]
    pairs = list(zip(gave, kept, strict=True))
    asked = itertools.product(STOPS, (1, 2))
    more = sum(store.answers(room.code, *one).total() for one in asked) - sum(map(len, kept))
    lost = sum(one not in known for given, known in pairs for one in given)
    other = sum(
        known.get(one, vote) != vote for given, known in pairs for one, vote in given.items()
    )
    report.figure("votes given", sum(map(len, gave)), "")
    report.target("votes lost", lost, "", most=0)
    report.target("votes kept other than given", other, "", most=0)
    report.target("votes of phones that were known twice", more, "", most=0)


@contextmanager
def servers(options: argparse.Namespace) -> Iterator[tuple[str, list[RunningApp], Path]]:
    """One process, or two behind nginx; their address, and the store."""
    store = Path("cache", "bertviz", "halls.sqlite")
    if options.replicas:
        with replicated() as (url, replicas, scratch):
            yield url, replicas, scratch / store
        return
    with tempfile.TemporaryDirectory() as name:
        environment = {"HF_HUB_CACHE": f"{name}/cache/hub"}
        with running(copied_app(Path(name) / "app"), environment) as server:
            yield server.url, [server], name / store


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
        room, actions, questions = asyncio.run(talk(options, url, running_ones))
        print_votes(Halls(store), room)
    problems = sum(len(phone.problems) for phone in room.phones)
    report.target("sentences of error on phones", problems, "", most=0)
    of_lecturer = p95([*actions.values()])
    report.target("the lecturer's actions, 95th percentile", of_lecturer, "s", most=MAX_ACTION)
    slowest = max(actions, key=lambda action: actions[action])
    report.figure(f"... the slowest: {slowest}", actions[slowest], "s")
    report.target("until phones see a question, 95th", p95(questions), "s", most=MAX_SEEN)
    report.figure("a vote, 95th percentile", p95(room.votes), "s")
    report.figure("MB sent to a phone, the most", max(p.bytes for p in room.phones) / 1e6, "")
    report.figure("phones that lost their connection and came back", room.back, "")
    report.end()


if __name__ == "__main__":
    main()
