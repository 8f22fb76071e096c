"""To the painted heatmaps: from starting the server, and for who comes to a running one."""

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page

from benchmarks import report
from benchmarks.app_server import copied_app, free_port, running, small_app
from benchmarks.browser import chromium, fresh_page, time_of_heatmaps, time_of_plane

RUNS, FIRST_RUNS, VISITS = 7, 3, 9
WARM = 3  # visits before the first run: so many until the browser keeps compiled scripts
PAGE = "pages/2_Input_Embeddings.py"
HEATMAPS = 5
# What Plotly itself takes: five plain heatmaps with the words as labels, and nothing else.
PLAIN = f"""import numpy as np
import streamlit as st
from plotly.subplots import make_subplots

words = ["[CLS]", *st.text_input("Sentence A", "some text").split(), "[SEP]"]
values = np.random.default_rng(0).normal(size=({HEATMAPS}, len(words), 384)).astype(np.float32)
labels = [f"{{i}} {{word}}" for i, word in enumerate(words)]
figure = make_subplots(rows={HEATMAPS}, shared_xaxes=True)
for row, part in enumerate(values, start=1):
    figure.add_heatmap(z=part, y=labels, showscale=False, row=row, col=1)
st.plotly_chart(figure.update_layout(height=1450))
"""
APP, EAGER_APP = "this app", "the same with torch at the page's top"
HEATMAP_PAGE = "a page of five plain heatmaps"
FIELDS_PAGE = "the same with a list of pages and fields"
# What Streamlit takes for a page as those of the app are: at an address of its own, with the list
# of pages, a model to choose and fields for the drawing.
AMONG_FIELDS = f"""import streamlit as st

with st.sidebar:
    for number in range(9):
        st.page_link("{PAGE}", label=f"Page {{number}}", icon=":material/home:")
    st.selectbox("Model", ["one", "two"])
    st.segmented_control("Look", ["off", "light", "dark"], default="off")
st.title("Plain")
st.text_input("Sentence B", "")
st.segmented_control("Dimensions", ["all", "window"], default="all")
st.number_input("Token", value=None)
{PLAIN}"""
EAGER = "import torch\nfrom transformers import BertModel\n\n"


@dataclass(frozen=True)
class Contender:
    """An app to start, whose page has five heatmaps.

    Attributes:
        folder: Where its `app.py` lies.
        address: Of the page to open.
        port: Kept, so that the browser's cache is warm from the second visit on.
    """

    name: str
    folder: Path
    address: str
    port: int


def main() -> None:
    """Print the figures."""
    cold()
    report.heading("Start and visit: to the painted heatmaps of Input Embeddings")
    with TemporaryDirectory() as scratch, chromium() as browser, ExitStack() as stack:
        contenders = _contenders(Path(scratch))
        known = {one.name: stack.enter_context(fresh_page(browser)) for one in contenders}
        for one in contenders:
            _make_known(one, known[one.name])
        starts = _in_turn(contenders, RUNS, lambda one: _seconds(one, known[one.name]))
        first = _in_turn(contenders[:2], FIRST_RUNS, lambda one: _first_start(one, browser))
        urls = {
            one.name: stack.enter_context(running(one.folder, port=one.port)).url
            for one in contenders
            if one.name != EAGER_APP
        }
        running_ones = [one for one in contenders if one.name in urls]
        visits = _in_turn(
            running_ones, VISITS, lambda one: _visit(one, known[one.name], urls[one.name])
        )
        new = _in_turn(running_ones, VISITS, lambda one: _new_visitor(one, browser, urls[one.name]))
    _print("start, browser's cache warm", starts)
    _print("first visit ever, to a server just started", first)
    report.target(
        f"  faster than {EAGER_APP}", report.ratio(first[EAGER_APP], first[APP]), "x", least=2.0
    )
    _print("visit to a running server, browser's cache warm", visits)
    _print("visit of a new browser to a running server", new)


def cold() -> None:
    """Print what a page takes that needs the model, as the first one ever of a server."""
    report.heading("First visit ever, to a server just started: from starting it until painted")
    pages: dict[str, Callable[[Page], float]] = {
        "Input_Embeddings": lambda page: time_of_heatmaps(page, HEATMAPS),
        "Word_in_Context": time_of_plane,
    }
    times: dict[str, list[float]] = {address: [] for address in pages}
    with TemporaryDirectory() as scratch, chromium() as browser:
        app = copied_app(Path(scratch) / "app")
        for _ in range(1 + RUNS):
            for address, painted in pages.items():
                with running(app) as server, fresh_page(browser) as page:
                    page.goto(f"{server.url}/{address}", wait_until="commit")
                    times[address].append(painted(page) - server.started)
    others, context = (seconds[1:] for seconds in times.values())  # without what warms the disk
    report.figure("Input Embeddings", median(others), "s", spread=others)
    report.figure("Word in Context", median(context), "s", spread=context)
    report.target("  the second / the first", report.ratio(context, others), "x", most=1.2)


def _in_turn(
    contenders: list[Contender], runs: int, seconds: Callable[[Contender], float]
) -> dict[str, list[float]]:
    """Time all of them in each run, so that a machine that slows down slows all of them."""
    times: dict[str, list[float]] = {one.name: [] for one in contenders}
    for _ in range(runs):
        for one in contenders:
            times[one.name].append(seconds(one))
    return times


def _print(what: str, times: dict[str, list[float]]) -> None:
    report.figure(f"{APP}: {what}", median(times[APP]), "s", spread=times[APP])
    for name, seconds in times.items():
        if name != APP:
            report.figure(f"  {name}", median(seconds), "s", spread=seconds)
    if HEATMAP_PAGE in times:
        against = report.ratio(times[APP], times[HEATMAP_PAGE])
        report.figure(f"  {APP} / {HEATMAP_PAGE}", against, "x")
        equal = report.ratio(times[APP], times[FIELDS_PAGE])
        report.target(f"  {APP} / {FIELDS_PAGE}", equal, "x", most=1.15)


def _contenders(scratch: Path) -> list[Contender]:
    lazy, eager = copied_app(scratch / "lazy"), copied_app(scratch / "eager")
    page = eager / PAGE
    page.write_text(EAGER + page.read_text(encoding="utf-8"), encoding="utf-8")
    plain = small_app(scratch / "plain", PLAIN)
    among_fields = small_app(scratch / "among fields", "")
    (among_fields / "pages").mkdir()
    (among_fields / PAGE).write_text(AMONG_FIELDS, encoding="utf-8")
    address = "Input_Embeddings"
    return [
        Contender(APP, lazy, address, free_port()),
        Contender(EAGER_APP, eager, address, free_port()),
        Contender(HEATMAP_PAGE, plain, "", free_port()),
        Contender(FIELDS_PAGE, among_fields, address, free_port()),
    ]


def _make_known(one: Contender, page: Page) -> None:
    """Visit often enough that disk, bytecode and the browser's cache are warm."""
    with running(one.folder, port=one.port) as app:
        for _ in range(WARM):
            page.goto(f"{app.url}/{one.address}")
            time_of_heatmaps(page, HEATMAPS)
            page.wait_for_timeout(1500)
        page.goto("about:blank")


def _first_start(one: Contender, browser: Browser) -> float:
    """As `_seconds`, with a browser that has never been there."""
    with fresh_page(browser) as page:
        return _seconds(one, page)


def _new_visitor(one: Contender, browser: Browser, url: str) -> float:
    """As `_visit`, with a browser that has never been there."""
    with fresh_page(browser) as page:
        return _visit(one, page, url)


def _visit(one: Contender, page: Page, url: str) -> float:
    """From going to the address to the painted page: what every later visitor sees."""
    begun = time.time()
    page.goto(f"{url}/{one.address}", wait_until="commit")
    seconds = time_of_heatmaps(page, HEATMAPS) - begun
    page.wait_for_timeout(300)
    page.goto("about:blank")
    return seconds


def _seconds(one: Contender, page: Page) -> float:
    """From starting the process to the painted page."""
    with running(one.folder, port=one.port) as app:
        page.goto(f"{app.url}/{one.address}", wait_until="commit")
        seconds = time_of_heatmaps(page, HEATMAPS) - app.started
        page.goto("about:blank")
    return seconds


if __name__ == "__main__":
    cold() if sys.argv[1:] == ["cold"] else main()
    report.end()
