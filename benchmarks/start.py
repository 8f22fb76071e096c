"""From starting the server to the first painted heatmap, against a bare page and an eager one."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page

from benchmarks import report
from benchmarks.app_server import copied_app, free_port, running, small_app
from benchmarks.browser import chromium, fresh_page, time_of_heatmaps, time_of_text
from benchmarks.paint import PLAIN

RUNS, FIRST_RUNS = 5, 3
VISITS = 3  # before the first run: so many until the browser keeps compiled scripts
PAGE = "pages/2_Input_Embeddings.py"
HEATMAPS = 5
BARE = """import streamlit as st

st.title("Bare")
"""
APP, EAGER_APP = "this app", "the same with torch at the page's top"
EAGER = "import torch\nfrom transformers import BertModel\n\n"


@dataclass(frozen=True)
class Contender:
    """An app to start, and how to tell that its page is painted.

    Attributes:
        name: What it is.
        folder: Where its `app.py` lies.
        address: Of the page to open.
        painted: Waits for the page; returns the time by the page's clock.
        port: Kept, so that the browser's cache is warm from the second visit on.
    """

    name: str
    folder: Path
    address: str
    painted: Callable[[Page], float]
    port: int


def main() -> None:
    """Print the figures."""
    report.heading("Start: `streamlit run` to the first painted heatmap")
    with TemporaryDirectory() as scratch, chromium() as browser, ExitStack() as stack:
        contenders = _contenders(Path(scratch))
        known = {one.name: stack.enter_context(fresh_page(browser)) for one in contenders}
        for one in contenders:
            _make_known(one, known[one.name])
        again: dict[str, list[float]] = {one.name: [] for one in contenders}
        for _ in range(RUNS):
            for one in contenders:
                again[one.name].append(_seconds(one, known[one.name]))
        first: dict[str, list[float]] = {one.name: [] for one in contenders[:2]}
        for _ in range(FIRST_RUNS):
            for one in contenders[:2]:
                first[one.name].append(_first_visit(one, browser))
    _print("browser's cache warm", again)
    _print("first visit ever", first)


def _print(visit: str, times: dict[str, list[float]]) -> None:
    app = times[APP]
    report.target(f"{APP}, {visit}", median(app), "s", most=2.0, spread=app)
    for name, seconds in times.items():
        if name != APP:
            report.figure(f"  {name}", median(seconds), "s", spread=seconds)
    for name in sorted(times.keys() - {APP, EAGER_APP}):
        report.figure(f"  {APP} / {name}", report.ratio(app, times[name]), "x")
    faster = report.ratio(times[EAGER_APP], app)
    report.target(f"  faster than {EAGER_APP}", faster, "x", least=2.5)


def _contenders(scratch: Path) -> list[Contender]:
    def heatmaps(count: int) -> Callable[[Page], float]:
        return lambda page: time_of_heatmaps(page, count)

    lazy, eager = copied_app(scratch / "lazy"), copied_app(scratch / "eager")
    page = eager / PAGE
    page.write_text(EAGER + page.read_text(encoding="utf-8"), encoding="utf-8")
    bare, plain = small_app(scratch / "bare", BARE), small_app(scratch / "plain", PLAIN)
    address, five = "Input_Embeddings", heatmaps(HEATMAPS)
    return [
        Contender(APP, lazy, address, five, free_port()),
        Contender(EAGER_APP, eager, address, five, free_port()),
        Contender("a bare page", bare, "", lambda p: time_of_text(p, "h1", "Bare"), free_port()),
        Contender("a page of five plain heatmaps", plain, "", five, free_port()),
    ]


def _make_known(one: Contender, page: Page) -> None:
    """Visit often enough that disk, bytecode and the browser's cache are warm."""
    with running(one.folder, port=one.port) as app:
        for _ in range(VISITS):
            page.goto(f"{app.url}/{one.address}")
            one.painted(page)
            page.wait_for_timeout(1500)
        page.goto("about:blank")


def _first_visit(one: Contender, browser: Browser) -> float:
    with fresh_page(browser) as page:
        return _seconds(one, page)


def _seconds(one: Contender, page: Page) -> float:
    """From starting the process to the painted page."""
    with running(one.folder, port=one.port) as app:
        page.goto(f"{app.url}/{one.address}", wait_until="commit")
        seconds = one.painted(page) - app.started
        page.goto("about:blank")
    return seconds


if __name__ == "__main__":
    main()
