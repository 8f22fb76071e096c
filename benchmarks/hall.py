"""A hall of phones that follow one lecturer: `python -m benchmarks.hall --phones 300`.

The lecturer goes through the stops once before, so that the model and the views are loaded. Then
all phones come, ten a second, each with the cookie that the server gives it, and at each of four
stops all vote within five seconds, before and after its view. Ends with 1 where a bound is missed:
each phone has in the store the one vote it gave, a question and round; the lecturer's own actions;
how soon phones see the next question; memory a phone. Traffic goes to the loopback alone and ends
by itself.
"""

import argparse
import asyncio
import itertools
import math
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.app_server import RunningApp, own_app
from benchmarks.hall_viewers import Lecturer, Phone
from benchmarks.report import p95
from benchmarks.watch import Server, look_at
from bertviz_core.hall.rates import MAX_JOINS
from bertviz_core.hall.store import Halls

STOPS = (2, 4, 6, 9)  # whose answers are chosen; the last needs the encoder
COMING = 10  # phones a second
MAX_ACTION, MAX_SEEN, MAX_MEGABYTES = 0.3, 1.5, 1.0


class Talk(NamedTuple):
    """What happened in a talk, in seconds."""

    code: str  # of the hall
    phones: list[Phone]
    actions: dict[str, float]  # of the lecturer, by what was done
    questions: list[float]  # until a phone could answer


async def rehearse(url: str) -> None:
    """Go through the stops once with a phone, so that all is loaded and computed."""
    async with Lecturer(url) as lecturer, Phone(url) as phone:
        await lecturer.at(STOPS[0])
        await lecturer.press("hall-open")
        await phone.enter(lecturer.code)
        for number in STOPS:
            await lecturer.at(number)
            await lecturer.see(number)
        await lecturer.press("hall-close")


async def talk(count: int, server: RunningApp) -> Talk:
    """Lead a hall of so many phones through four stops."""
    await rehearse(server.url)
    actions: dict[str, float] = {}
    questions: list[float] = []
    phones: list[Phone] = []
    async with Lecturer(server.url) as lecturer, AsyncExitStack() as stack:
        await lecturer.at(STOPS[0])
        actions["open"] = (await lecturer.press("hall-open")).seconds
        before = look_at(server.pid)

        async def come(after: float) -> None:
            await asyncio.sleep(after)
            phone = await stack.enter_async_context(Phone(server.url))
            await phone.enter(lecturer.code)
            phones.append(phone)

        consent = [lecturer.let_all_in()] if count > MAX_JOINS else []  # of one address
        await asyncio.gather(*(come(number / COMING) for number in range(count)), *consent)
        here, begun = look_at(server.pid), time.monotonic()
        for number, round_ in itertools.product(STOPS, (1, 2)):
            stop = f"{number}, round {round_}"
            moved = time.monotonic()
            if round_ == 1:
                actions[f"go to {stop}"] = (await lecturer.at(number)).seconds
            else:
                actions[f"see {stop}"] = (await lecturer.see(number)).seconds
                moved = time.monotonic()
                actions[f"ask {stop}"] = (await lecturer.press("hall-2-nothing")).seconds
            await asyncio.gather(*(p.vote(n, number, round_) for n, p in enumerate(phones)))
            actions[f"show {stop}"] = (await lecturer.press(f"hall-{round_}-answers")).seconds
            if (number, round_) != (STOPS[0], 1):  # which all saw as they came
                questions += [p.saw.get((number, round_), math.inf) - moved for p in phones]
        print_server(before, here, look_at(server.pid), time.monotonic() - begun, count)
    return Talk(lecturer.code, phones, actions, questions)


def print_server(start: Server, here: Server, end: Server, lasted: float, phones: int) -> None:
    """What a phone takes of the server."""
    came, used = here.processor - start.processor, end.processor - here.processor
    report.figure("processor time of a phone that comes", 1000 * came / phones, "ms")
    report.figure("... of one a minute", 1000 * used / phones / (lasted / 60), "ms")
    report.figure("processors in use", used / lasted, "x")
    megabytes = (end.megabytes - start.megabytes) / phones
    report.figure("MB of memory a phone", megabytes, "", most=MAX_MEGABYTES)


def print_votes(store: Halls, code: str, phones: list[Phone]) -> None:
    """Whether the store holds of each phone the one vote it gave, a question and round."""
    kept = [store.of_phone(code, store.enter(code, phone.secret)) for phone in phones]
    pairs = [(phone.gave, known) for phone, known in zip(phones, kept, strict=True)]
    asked = itertools.product(STOPS, (1, 2))
    more = sum(store.answers(code, *one).total() for one in asked) - sum(map(len, kept))
    lost = sum(one not in known for given, known in pairs for one in given)
    other = sum(
        known.get(one, vote) != vote for given, known in pairs for one, vote in given.items()
    )
    report.figure("votes given", sum(len(given) for given, _ in pairs), "")
    report.figure("votes lost", lost, "", most=0)
    report.figure("votes kept other than given", other, "", most=0)
    report.figure("votes of phones that were known twice", more, "", most=0)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--phones", type=int, default=300)
    count = parser.parse_args().phones
    report.heading(f"A hall of {count} phones")
    with tempfile.TemporaryDirectory() as folder, own_app({"HF_HUB_CACHE": f"{folder}/hub"}) as app:
        code, phones, actions, questions = asyncio.run(talk(count, app))
        print_votes(Halls(Path(folder, "bertviz", "halls.sqlite")), code, phones)
    problems = sum(len(phone.problems) for phone in phones)
    report.figure("sentences of error on phones", problems, "", most=0)
    of_lecturer = p95([*actions.values()])
    report.figure("the lecturer's actions, 95th percentile", of_lecturer, "s", most=MAX_ACTION)
    slowest = max(actions, key=lambda action: actions[action])
    report.figure(f"... the slowest: {slowest}", actions[slowest], "s")
    report.figure("until phones see a question, 95th", p95(questions), "s", most=MAX_SEEN)
    votes = [seconds for phone in phones for seconds in phone.waited]
    report.figure("a vote, 95th percentile", p95(votes), "s")
    report.figure("MB sent to a phone, the most", max(p.bytes for p in phones) / 1e6, "")
    report.end()


if __name__ == "__main__":
    main()
