"""A hall of viewers: how long each waits, and what the server needs for them.

    python -m benchmarks.load --viewers 100 --think 10
    python -m benchmarks.load --viewers 30 --scenario context --senses 2000
    python -m benchmarks.load --viewers 30 --scenario mixed --minutes 15 --settle 120
    python -m benchmarks.load --url http://127.0.0.1:8501 --pid 123

Scenarios: `rows` (Input Embeddings and Nearest Neighbors, no torch), `context` (Word in Context,
every sentence a new one), `mixed` (half and half). `--senses N` adds one viewer who maps N
occurrences of a word again and again. Times are from a change to the end of the script's run; what
a browser needs for drawing comes on top. Traffic goes to the loopback alone and ends by itself.
"""

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from websockets.exceptions import ConnectionClosed

from benchmarks import report
from benchmarks.app_server import copied_app, running
from benchmarks.session import Run, Viewer, ViewerError

WORDS = (
    "river bank money python snake code king queen light spring crane bat ball cave loan shore "
    "garden music window kitchen summer winter teacher doctor letter train station market bread "
    "coffee silver mountain ocean forest bridge castle lamp paper engine signal pattern theory"
).split()
TARGETS = ("bank", "python", "spring", "light", "crane", "bat", "letter", "train")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass
class Results:
    """What all viewers saw.

    Attributes:
        seconds: Of each finished run, by kind of action.
        errors: How often something went wrong, by what it was.
    """

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, action: str, run: Run) -> None:
        """Count a run that has finished."""
        self.seconds[action].append(run.seconds)
        self.errors.update(problem[:100] for problem in run.problems)

    @property
    def all(self) -> list[float]:
        return [seconds for runs in self.seconds.values() for seconds in runs]


Act = Callable[[Viewer, random.Random, Results], Awaitable[None]]


def sentence(chance: random.Random, *, marked: bool = False) -> str:
    """A few words in any order, one of them in brackets."""
    words = [chance.choice(WORDS) for _ in range(chance.randint(5, 11))]
    if marked:
        words[chance.randrange(len(words))] = f"[{chance.choice(TARGETS)}]"
    return "the " + " ".join(words)


async def rows(viewer: Viewer, chance: random.Random, results: Results) -> None:
    """One thought of somebody on the pages that need no torch."""
    if viewer.page not in ("Input_Embeddings", "Nearest_Neighbors") or chance.random() < 0.2:
        page = "Nearest_Neighbors" if viewer.page == "Input_Embeddings" else "Input_Embeddings"
        results.add(f"open {page}", await viewer.open(page))
    elif viewer.page == "Input_Embeddings":
        results.add("type a sentence", await viewer.change("a", sentence(chance)))
    else:
        a, b, c = chance.sample(WORDS, 3)
        query = chance.choice((a, f"{a} - {b} + {c}", "##" + chance.choice(("ing", "ed", "ly"))))
        results.add("search neighbors", await viewer.change("q", query))


async def context(viewer: Viewer, chance: random.Random, results: Results) -> None:
    """One thought of somebody who compares words; every sentence is a new one."""
    if viewer.page != "Word_in_Context":
        results.add("open Word_in_Context", await viewer.open("Word_in_Context"))
    else:
        lines = "\n".join(sentence(chance, marked=True) for _ in range(2))
        results.add("compare words", await viewer.change("s", lines))


async def mixed(viewer: Viewer, chance: random.Random, results: Results) -> None:
    """One thought of somebody who does either."""
    await (rows if chance.random() < 0.5 or not viewer.page else context)(viewer, chance, results)


def senses(count: int) -> Act:
    """What somebody does who maps `count` new occurrences of a word, one map after the other."""

    async def act(viewer: Viewer, chance: random.Random, results: Results) -> None:
        if viewer.page != "Word_Senses":
            await viewer.open("Word_Senses", **{"from": "text file", "senseword": "bank"})
        lines = (f"{sentence(chance)} bank {sentence(chance)}" for _ in range(count))
        await viewer.upload("text", "lines.txt", "\n".join(lines).encode())
        results.add(f"map {count} occurrences", await viewer.rerun())

    return act


SCENARIOS: dict[str, Act] = {"rows": rows, "context": context, "mixed": mixed}


async def stay(
    url: str, number: int, act: Act, results: Results, until: float, think: float, ramp: float
) -> None:
    """One viewer, from coming to leaving."""
    chance = random.Random(number)
    await asyncio.sleep(ramp)
    try:
        async with Viewer(url) as viewer:
            while time.monotonic() < until:
                try:
                    await act(viewer, chance, results)
                except ViewerError as error:
                    results.errors[str(error)[:100]] += 1
                await asyncio.sleep(chance.expovariate(1 / think) if think else 0)
    except (OSError, ConnectionClosed, TimeoutError) as error:
        results.errors[f"connection: {type(error).__name__}"] += 1


@dataclass(frozen=True)
class Server:
    """What a process takes now.

    Attributes:
        megabytes: Proportional memory.
        processor: Seconds used so far.
    """

    megabytes: float
    processor: float


def look_at(pid: int) -> Server:
    """Read it from the system."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    pss = next(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return Server(pss / 1024, ticks / os.sysconf("SC_CLK_TCK"))


async def warm_up(url: str, act: Act) -> None:
    """Have everything imported, and the percentile scale measured, before anything is counted."""
    chance, results = random.Random(10**6), Results()
    async with Viewer(url) as viewer:
        for _ in range(3):
            await act(viewer, chance, results)
        for _ in range(600):
            if not viewer.fragments:
                break
            await asyncio.sleep(0.2)


async def measure(options: argparse.Namespace, url: str, pid: int | None) -> Results:
    """Let all viewers come, stay and leave; print what was seen."""
    results, act = Results(), SCENARIOS[options.scenario]
    await warm_up(url, act)
    begun, start = time.monotonic(), look_at(pid) if pid else None
    until = begun + 60 * options.minutes
    ramps = np.linspace(0, options.ramp, options.viewers)
    viewers = [
        asyncio.create_task(stay(url, number, act, results, until, options.think, ramp))
        for number, ramp in enumerate(ramps.tolist())
    ]
    if options.senses:
        act = senses(options.senses)
        viewers.append(asyncio.create_task(stay(url, 10**5, act, results, until, 1, options.ramp)))
    memory: list[float] = []
    while not all(viewer.done() for viewer in viewers):
        await asyncio.sleep(2)
        if pid:
            memory.append(look_at(pid).megabytes)
    lasted = time.monotonic() - begun
    print_times(results, lasted)
    if pid and start is not None:
        print_server(start, look_at(pid), memory, lasted, options.viewers, len(results.all))
        if options.settle:
            await asyncio.sleep(options.settle)
            after = look_at(pid).megabytes
            report.figure(f"memory {options.settle} s after all have left", after, "MB")
            report.target("... over the start", after / start.megabytes, "x", most=1.1)
    return results


def print_times(results: Results, lasted: float) -> None:
    """How long viewers waited, by action, and what went wrong."""
    print(f"  {'action':34} {'runs':>6} {'p50':>7} {'p95':>7} {'p99':>7} {'most':>7}   seconds")
    for action, seconds in [*sorted(results.seconds.items()), ("all", results.all)]:
        if seconds:
            p50, p95, p99, most = np.percentile(seconds, (50, 95, 99, 100))
            print(f"  {action:34} {len(seconds):6} {p50:7.2f} {p95:7.2f} {p99:7.2f} {most:7.2f}")
    report.figure("runs a second", len(results.all) / lasted, "")
    report.target("errors", float(results.errors.total()), "", most=0)
    for problem, count in results.errors.most_common(10):
        print(f"    {count:5} {problem}")


def print_server(
    start: Server, end: Server, memory: list[float], lasted: float, viewers: int, runs: int
) -> None:
    """What the server took for it."""
    used = end.processor - start.processor
    report.figure("processor seconds of the server a run", used / max(runs, 1), "s")
    report.figure("processors in use", used / lasted, "x")
    report.figure("memory at the start", start.megabytes, "MB")
    peak = max(memory, default=end.megabytes)
    report.figure("memory at most", peak, "MB")
    report.figure("memory at the end", end.megabytes, "MB")
    report.target("memory a viewer", (peak - start.megabytes) / max(viewers, 1), "MB", most=2)
    third = len(memory) // 3
    if third:
        flat = float(np.median(memory[-third:]) / np.median(memory[third : 2 * third]))
        report.target("memory, last third over middle third", flat, "x", most=1.05)


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        prog="python -m benchmarks.load",
    )
    parser.add_argument("--url", help="of a running server on this machine; else one is started")
    parser.add_argument("--pid", type=int, help="of that server, for its memory")
    parser.add_argument("--viewers", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--think", type=float, default=5, help="mean seconds between two actions")
    parser.add_argument("--ramp", type=float, default=15, help="seconds in which all come")
    parser.add_argument("--scenario", choices=SCENARIOS, default="rows")
    parser.add_argument("--senses", type=int, default=0, help="occurrences that one viewer maps")
    parser.add_argument("--settle", type=int, default=0, help="seconds to wait after all left")
    options = parser.parse_args(arguments)
    if options.url and urlsplit(options.url).hostname not in LOOPBACK:
        parser.error("only a server on this machine is loaded")
    report.heading(
        f"{options.viewers} viewers, {options.scenario}, an action every {options.think:g} s, "
        f"{options.minutes:g} minutes"
    )
    with ExitStack() as stack:
        url, pid = options.url, options.pid
        if not url:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "app"
            app = stack.enter_context(running(copied_app(folder)))
            url, pid = app.url, app.pid
        asyncio.run(measure(options, url, pid))


if __name__ == "__main__":
    main()
