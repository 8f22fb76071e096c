"""How many viewers one process serves, each within a second, beside plain pages with as much.

    python -m benchmarks.crowd
    python -m benchmarks.crowd --soak 12

Half of the viewers look at rows (Input Embeddings and Nearest Neighbors), half compare words (Word
in Context); each changes something every 5 seconds, and no two type the same sentence. The largest
crowd whose 95th percentile stays under a second is found by bisection, ours and the plain one in
turn, each on a server just started. `--soak` lets 30 viewers do everything for so many minutes
instead: also what takes long, such as training, experiments, maps and files. Times are from a
change to the end of the script's run; what a browser needs for drawing comes on top. Traffic goes
to the loopback alone and ends by itself (Linux).
"""

import argparse
import asyncio
import math
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks import report
from benchmarks.app_server import copied_app, own_app, running
from benchmarks.rerun import plain_pages
from benchmarks.viewers import Act, Results, compare, rows, soak, stay, warm_up
from benchmarks.watch import look_at

FIRST, LARGEST = 80, 1_280  # viewers; so many are tried at first, and at most
CLOSE = 1.1  # the search ends where a crowd that waits is at most so much larger than one served
THINK = 5.0  # mean seconds between two changes
COMING, SETTLING = 20.0, 5.0  # seconds in which all come, and after which waiting is measured
SECONDS = 30.0  # in which it is measured
MAX_WAIT, MIN_SHARE, MAX_MEGABYTES = 1.0, 0.7, 1.0
VISITED = ("Input_Embeddings", "Nearest_Neighbors", "Word_in_Context")
SOAKING, SETTLED = 30, 90.0  # viewers; seconds after which the sessions of those who left are gone
MAX_SOAKED = 1_000  # MB


class Crowd(NamedTuple):
    """What viewers saw who were there together, and what it took of the server."""

    results: Results
    waited: float  # seconds, the 95th percentile
    start: float  # MB before they came
    memory: list[float]  # MB while they were there
    processors: float  # in use

    @property
    def is_served(self) -> bool:
        """Whether nobody waited for long, or was turned away."""
        return not self.results.errors.total() and self.waited < MAX_WAIT


async def come(url: str, pid: int, count: int, acts: list[Act], seconds: float) -> Crowd:
    """Let so many viewers come, act for some seconds once all are there, and leave."""
    for act in acts:
        await warm_up(url, act)
    results, begun, before = Results(), time.monotonic(), look_at(pid)
    there = begun + COMING + SETTLING
    viewers = []
    for number in range(count):
        comes, act = begun + COMING * number / count, acts[number % len(acts)]
        one = stay(url, number, act, results, comes, there + seconds, THINK)
        viewers.append(asyncio.create_task(one))
    memory = [before.megabytes]
    while not all(viewer.done() for viewer in viewers):
        await asyncio.sleep(0.5)
        memory.append(look_at(pid).megabytes)
    await asyncio.gather(*viewers)  # raises what ended one before its time
    used = look_at(pid).processor - before.processor
    waited = report.p95([run.seconds for run in results.runs if run.at >= there])
    return Crowd(results, waited, before.megabytes, memory, used / (time.monotonic() - begun))


@dataclass
class Search:
    """The largest crowd that an app serves, between one that it does and one that it does not."""

    folder: Path
    served: int = 1
    best: Crowd | None = None  # of so many
    too_many: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether the two are close, or the largest crowd is served."""
        return self.served >= LARGEST or (self.too_many or math.inf) <= CLOSE * self.served

    def step(self) -> None:
        """Try one crowd, on a server just started."""
        count = FIRST if self.served == 1 else 2 * self.served
        if self.too_many:
            count = round(math.sqrt(self.served * self.too_many))
        with running(self.folder) as app:
            crowd = asyncio.run(come(app.url, app.pid, count, [rows, compare], SECONDS))
        print_waits(f"{self.folder.name}: {count} viewers", crowd)
        if crowd.is_served:
            self.served, self.best = count, crowd
        else:
            self.too_many = count


def print_waits(title: str, crowd: Crowd) -> None:
    """How long viewers waited, by action, and what went wrong."""
    report.heading(f"{title}: p95 {crowd.waited:.2f} s, {crowd.processors:.2f} processors")
    for action in sorted({run.action for run in crowd.results.runs}):
        waits = [run.seconds for run in crowd.results.runs if run.action == action]
        p50, p95, most = np.percentile(waits, (50, 95, 100))
        print(f"  {action:40} {len(waits):5} runs, {p50:6.2f} {p95:6.2f} {most:6.2f} s")
    for problem, count in (+crowd.results.errors).most_common(10):
        print(f"    {count:5} {problem}")


def search() -> None:
    """Print the largest crowds, ours beside the plain one."""
    with TemporaryDirectory() as scratch:
        ours = Search(copied_app(Path(scratch) / "this app"))
        plain = Search(plain_pages(ours.folder, Path(scratch) / "plain pages", VISITED))
        while not (ours.is_over and plain.is_over):
            for one in (ours, plain):
                if not one.is_over:
                    one.step()
    report.heading("The largest crowd, a change every 5 s, that waits less than a second")
    report.figure("plain pages", plain.served, "n")
    report.figure("this app", ours.served, "n")
    report.figure("this app / plain pages", ours.served / plain.served, "x", least=MIN_SHARE)
    if ours.best:
        megabytes = (max(ours.best.memory) - ours.best.start) / ours.served
        report.figure("memory a viewer", megabytes, "MB", most=MAX_MEGABYTES)


def soaking(minutes: float) -> None:
    """Print what the server takes of memory while viewers do everything, and after they left."""
    with own_app() as app:
        crowd = asyncio.run(come(app.url, app.pid, SOAKING, [soak], 60 * minutes))
        print_waits(f"{SOAKING} viewers who do everything for {minutes:g} minutes", crowd)
        time.sleep(SETTLED)
        after = look_at(app.pid).megabytes
    report.figure("memory at the start", crowd.start, "MB")
    report.figure("memory at most", max(crowd.memory), "MB", most=MAX_SOAKED)
    third = len(crowd.memory) // 3
    middle, last = (float(np.median(crowd.memory[at : at + third])) for at in (third, 2 * third))
    report.figure("memory, last third over middle third", last / middle, "x", most=1.05)
    report.figure("memory after all have left, over the start", after / crowd.start, "x", most=1.15)


def main() -> None:
    """Print the figures; exit with 1 where a bound is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--soak", type=float, default=0, help="minutes in which 30 do everything")
    options = parser.parse_args()
    soaking(options.soak) if options.soak else search()
    report.end()


if __name__ == "__main__":
    main()
