"""Memory of the server: after a visit to its pages, and after many maps of occurrences."""

import asyncio
import random
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from benchmarks import report
from benchmarks.app_server import RunningApp, own_app
from benchmarks.browser import chromium, fresh_page
from benchmarks.session import Viewer
from benchmarks.viewers import Results, senses
from benchmarks.watch import look_at, watching
from bertviz_core.ui.frame import pages

# Each page's address, and what shows that it is complete: a selector and how many it has.
WITHOUT_ENCODER = (
    ("Input_Embeddings", ".js-plotly-plot", 1),
    ("Nearest_Neighbors", ".js-plotly-plot", 1),
)
MAPS, OCCURRENCES = 7, 2_000
TRAINING = "Inside_the_Model?section=what+training+changes"
WITH_ENCODER = ("", ".js-plotly-plot", 3)


@dataclass(frozen=True)
class Memory:
    """Of one process, in MB of 1,000,000 bytes.

    Attributes:
        resident: All of it that lies in memory, files that are mapped included (RSS).
        anonymous: The part that no file backs, which the system cannot drop.
    """

    resident: float
    anonymous: float


def main() -> None:
    """Print the figures."""
    _pages()
    with own_app() as app:
        asyncio.run(_maps(app))


def _pages() -> None:
    report.heading("Memory: the server, with the embedded model")
    with own_app() as app, chromium() as browser, fresh_page(browser) as page:
        _print("before the first visit", _memory(app.pid))
        for address, selector, count in WITHOUT_ENCODER:
            _visit(page, app, address, selector, count)
            _print(f"after {address.replace('_', ' ')}", _memory(app.pid))
        tables = _memory(app.pid)
        _visit(page, app, *WITH_ENCODER)
        encoder = _memory(app.pid)
        _print("after Home", encoder)
        own = 0.0
        for entry in pages():
            _visit(page, app, entry.address, "h1", 1)
            own = max(own, _memory(app.pid).anonymous)
        _print("after every page", _memory(app.pid))
        status = Path(f"/proc/{app.pid}/status").read_text(encoding="ascii")
        peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6
        # With it comes the transformers library.
        _visit(page, app, "Input_Embeddings?section=the+proof", '[data-name="difference"]', 1)
        _print("after the proof", _memory(app.pid))
        with watching(app.pid) as watch:
            _visit(page, app, TRAINING, '[data-name="all_words"]', 1)
        report.figure("at the peak of the first step of training", watch.peak, "MB")
    report.target("resident without the encoder", tables.resident, "MB", most=300)
    report.target("resident with the encoder", encoder.resident, "MB", most=650)
    report.target("every page: peak, resident", peak, "MB", most=690)
    report.target("every page: peak, anonymous", own, "MB", most=350)


async def _maps(app: RunningApp) -> None:
    """One viewer maps new occurrences again and again; what is kept of them is bounded."""
    report.heading(f"Memory: {MAPS} maps of {OCCURRENCES:,} occurrences, one after the other")
    chance, results = random.Random(1), Results()
    async with Viewer(app.url) as viewer:
        await senses(20)(viewer, chance, results)
        report.figure("with the encoder, before the first", look_at(app.pid).megabytes, "MB")
        act = senses(OCCURRENCES)
        for number in range(1, MAPS + 1):
            await act(viewer, chance, results)
            report.figure(f"after {number}", look_at(app.pid).megabytes, "MB")
    report.target("errors", float(results.errors.total()), "", most=0)
    report.target("after all of them", look_at(app.pid).megabytes, "MB", most=800)


def _visit(page: Page, app: RunningApp, address: str, selector: str, count: int) -> None:
    page.goto(f"{app.url}/{address}")
    page.wait_for_function(
        "([selector, count]) => document.querySelectorAll(selector).length >= count",
        arg=[selector, count],
    )
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.wait_for_timeout(500)


def _memory(pid: int) -> Memory:
    """Read what Linux says about a process, in kB of 1,024 bytes."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    lines = [line.split() for line in rollup.splitlines()[1:]]
    size = {name.rstrip(":"): int(kilobytes) * 1024 / 1e6 for name, kilobytes, _ in lines}
    return Memory(size["Rss"], size["Anonymous"])


def _print(name: str, memory: Memory) -> None:
    report.figure(f"{name}: resident", memory.resident, "MB")
    report.figure("    anonymous", memory.anonymous, "MB")


if __name__ == "__main__":
    main()
