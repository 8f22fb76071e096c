"""Memory of the server: after a visit to its pages, and after many maps of occurrences."""

import asyncio
import random
from pathlib import Path

from playwright.sync_api import Page

from benchmarks import report
from benchmarks.app_server import RunningApp, own_app
from benchmarks.browser import chromium, fresh_page
from benchmarks.session import Viewer
from benchmarks.viewers import Results, senses
from benchmarks.watch import look_at, memory_sizes
from bertviz_core.ui.page import PAGES

MAPS, OCCURRENCES = 7, 2_000
CHARTS = ".js-plotly-plot"


def main() -> None:
    """Print the figures."""
    with own_app() as app:
        _pages(app)
    with own_app() as app:
        asyncio.run(_maps(app))


def _pages(app: RunningApp) -> None:
    report.heading("Memory: the server, with the embedded model")
    with chromium() as browser, fresh_page(browser) as page:
        _print("before the first visit", app)
        for address in ("Input_Embeddings", "Nearest_Neighbors"):
            _visit(page, app, address, CHARTS)
            tables = _print(f"after {address.replace('_', ' ')}", app)
        _visit(page, app, "", CHARTS, 3)
        encoder = _print("after Home", app)
        own = 0.0
        for entry in PAGES:
            _visit(page, app, entry.address, "h1")
            own = max(own, memory_sizes(app.pid)["Anonymous"])
        _print("after every page", app)
        status = Path(f"/proc/{app.pid}/status").read_text(encoding="ascii")
        peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6
    report.figure("resident without the encoder", tables, "MB", most=300)
    report.figure("resident with the encoder", encoder, "MB", most=650)
    report.figure("every page: peak, resident", peak, "MB", most=690)
    report.figure("every page: peak, anonymous", own, "MB", most=350)


async def _maps(app: RunningApp) -> None:
    """One viewer maps new occurrences again and again; what is kept of them is bounded."""
    report.heading(f"Memory: {MAPS} maps of {OCCURRENCES:,} occurrences, one after the other")
    chance, results = random.Random(1), Results()
    async with Viewer(app.url) as viewer:
        await senses(20)(viewer, chance, results)
        report.figure("with the encoder, before the first", look_at(app.pid).megabytes, "MB")
        for number in range(1, MAPS + 1):
            await senses(OCCURRENCES)(viewer, chance, results)
            report.figure(f"after {number}", look_at(app.pid).megabytes, "MB")
    report.figure("errors", float(results.errors.total()), "", most=0)
    report.figure("after all of them", look_at(app.pid).megabytes, "MB", most=800)


def _visit(page: Page, app: RunningApp, address: str, selector: str, count: int = 1) -> None:
    """Open a page and wait until it is complete: it has so many of what a selector names."""
    page.goto(f"{app.url}/{address}")
    page.locator(selector).nth(count - 1).wait_for(state="attached")
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.wait_for_timeout(500)


def _print(name: str, app: RunningApp) -> float:
    """Print what lies in memory, and the part that no file backs; the first of both."""
    sizes = memory_sizes(app.pid)
    report.figure(f"{name}: resident", sizes["Rss"], "MB")
    report.figure("    anonymous", sizes["Anonymous"], "MB")
    return sizes["Rss"]


if __name__ == "__main__":
    main()
    report.end()
