"""A hall of viewers: how long each waits, and what the server needs for them.

    python -m benchmarks.load --viewers 100 --think 10 --most 1
    python -m benchmarks.load --viewers 30 --scenario context --senses 2000
    python -m benchmarks.load --viewers 30 --scenario soak --minutes 12 --settle 90

Scenarios: `rows` (Input Embeddings and Nearest Neighbors, no torch), `context` (Word in Context,
every sentence a new one), `mixed` (half and half), `soak` (mixed, and what takes long: training,
experiments, maps, files). `--senses N` adds one viewer who, from half-time on, maps N occurrences
of a word again and again. Times are from a change to the end of the script's run; what a
browser needs for drawing comes on top. Bounds in seconds are for a machine on which the plain page
of `benchmarks/rerun.py` takes 0.043 s; they go with what it takes here. Traffic goes to the
loopback alone and ends by itself.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence

import numpy as np

from benchmarks import report, rerun
from benchmarks.app_server import own_app
from benchmarks.viewers import SCENARIOS, Results, Stay, senses, stay, warm_up
from benchmarks.watch import Server, look_at

PLAIN_SECONDS = 0.043  # of the plain page, where the bounds were set
MAX_DELAY = 1.0  # seconds by which one who maps may delay the others' 95th percentile
SESSION_KEPT = 60  # seconds for which the session of a viewer who has left is kept (config.toml)
MAX_MEGABYTES = 1_000  # at the peak of a soak


def slowness() -> float:
    """How much slower than where the bounds were set this machine is now; prints the figure."""
    plain = rerun.plain_seconds()
    report.figure(f"plain page, processor seconds a rerun ({PLAIN_SECONDS} s: 1)", plain, "s")
    return plain / PLAIN_SECONDS


async def measure(options: argparse.Namespace, url: str, pid: int, scale: float) -> Results:
    """Let all viewers come, stay and leave; print what was seen."""
    results = Results()
    act = SCENARIOS[options.scenario]
    await warm_up(url, act)
    if options.senses:
        await warm_up(url, senses(20))  # so that the encoder is there
    begun, start = time.monotonic(), look_at(pid)
    leaves = begun + 60 * options.minutes
    half = (begun + leaves) / 2
    coming = np.linspace(begun, begun + options.ramp, options.viewers).tolist()
    viewers = [
        asyncio.create_task(stay(url, number, act, results, Stay(comes, leaves, options.think)))
        for number, comes in enumerate(coming)
    ]
    if options.senses:
        times = Stay(half, leaves, 1)
        mapping = stay(url, 10**5, senses(options.senses), results, times)
        viewers.append(asyncio.create_task(mapping))
    memory: list[float] = []
    while not all(viewer.done() for viewer in viewers):
        await asyncio.sleep(min(0.25, options.minutes * 6))
        memory.append(look_at(pid).megabytes)
    for viewer in viewers:
        viewer.result()  # raises what ended it before its time
    lasted = time.monotonic() - begun
    print_times(results, lasted)
    most = options.most * scale if options.most else None
    report.target("95th percentile of all but the map", p95(results.seconds()), "s", most=most)
    if options.senses:
        print_delay(results, begun + options.ramp, half, scale)
    print_server(start, look_at(pid), lasted, len(results.runs))
    print_memory(start.megabytes, memory, options)
    await asyncio.sleep(options.settle)
    after = look_at(pid).megabytes
    report.figure(f"memory {options.settle} s after all have left", after, "MB")
    most = 1.15 if options.settle > SESSION_KEPT else None
    report.target("... over the start", after / start.megabytes, "x", most=most)
    return results


def p95(seconds: Sequence[float]) -> float:
    """The 95th percentile; NaN of nothing."""
    return float(np.percentile(seconds, 95)) if seconds else float("nan")


def print_times(results: Results, lasted: float) -> None:
    """How long viewers waited, by action, and what went wrong."""
    print(f"  {'action':34} {'runs':>6} {'p50':>7} {'p95':>7} {'p99':>7} {'most':>7}   seconds")
    actions = sorted({run.action for run in results.runs})
    for action in [*actions, ""]:
        seconds = results.seconds(action)
        if seconds:
            p50, p95, p99, most = np.percentile(seconds, (50, 95, 99, 100))
            name = action or "all but the map"
            print(f"  {name:34} {len(seconds):6} {p50:7.2f} {p95:7.2f} {p99:7.2f} {most:7.2f}")
    report.figure("runs a second", len(results.runs) / lasted, "")
    report.target("errors", float(results.errors.total()), "", most=0)
    for problem, count in results.errors.most_common(10):
        print(f"    {count:5} {problem}")
    report.target("visitors who end without their page", results.without_page, "", most=0)
    report.target("connections lost", len(results.lost), "", most=0)


def print_delay(results: Results, since: float, half: float, scale: float) -> None:
    """What the one who maps costs the others: the half without against the half with him."""
    alone, beside = (
        p95(results.seconds(since=since, until=half)),
        p95(results.seconds(since=half)),
    )
    report.figure("95th percentile before the map", alone, "s")
    report.figure("95th percentile beside the map", beside, "s")
    report.target("... later by", beside - alone, "s", most=MAX_DELAY * scale)


def print_server(start: Server, end: Server, lasted: float, runs: int) -> None:
    """What of the processor the server took for it."""
    used = end.processor - start.processor
    report.figure("processor milliseconds of the server a run", 1000 * used / max(runs, 1), "ms")
    report.figure("processors in use", used / lasted, "x")


def print_memory(start: float, memory: Sequence[float], options: argparse.Namespace) -> None:
    """What of memory it took, in MB; where the encoder runs, most of it is no viewer's own."""
    report.figure("memory at the start", start, "MB")
    most = MAX_MEGABYTES if options.scenario == "soak" else None
    report.target("memory at most", max(memory), "MB", most=most)
    report.figure("memory at the end", memory[-1], "MB")
    if options.scenario == "rows":
        report.target("memory a viewer", (max(memory) - start) / options.viewers, "MB", most=2)
    third = len(memory) // 3
    if third and not options.senses:
        flat = float(np.median(memory[-third:]) / np.median(memory[third : 2 * third]))
        report.target("memory, last third over middle third", flat, "x", most=1.05)


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--viewers", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--think", type=float, default=5, help="mean seconds between two actions")
    parser.add_argument("--ramp", type=float, default=15, help="seconds in which all come")
    parser.add_argument("--scenario", choices=SCENARIOS, default="rows")
    parser.add_argument("--most", type=float, help="bound of the 95th percentile, in seconds")
    parser.add_argument("--senses", type=int, default=0, help="occurrences that one viewer maps")
    parser.add_argument("--settle", type=int, default=10, help="seconds to wait after all left")
    options = parser.parse_args(arguments)
    report.heading(
        f"{options.viewers} viewers, {options.scenario}, an action every {options.think:g} s, "
        f"{options.minutes:g} minutes"
    )
    scale = slowness() if options.most or options.senses else 1.0
    with own_app() as app:
        asyncio.run(measure(options, app.url, app.pid, scale))


if __name__ == "__main__":
    main()
