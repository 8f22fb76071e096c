"""To the painted heatmaps: from starting the server, and for who comes to a running one.

python -m benchmarks.start
python -m benchmarks.start cold    # only: what a page takes that needs the model
"""

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from playwright.sync_api import Browser, Page

from benchmarks import report
from benchmarks.app_server import copied_app, free_port, running, small_app
from benchmarks.browser import chromium, fresh_page, time_of_heatmaps, time_of_plane

RUNS, FIRST_RUNS, VISITS = 7, 3, 9
WARM = 3  # visits before the first run: so many until the browser keeps compiled scripts
ADDRESS, PAGE = "Input_Embeddings", "pages/2_Input_Embeddings.py"
HEATMAPS = 5
# What Streamlit and Plotly take for a page as those of the app are: at an address of its own, with
# the list of pages, a model to choose and fields for five plain heatmaps with the words as labels.
PLAIN = f"""import numpy as np
import streamlit as st
from plotly.subplots import make_subplots

with st.sidebar:
    for number in range(9):
        st.page_link("{PAGE}", label=f"Page {{number}}", icon=":material/home:")
    st.selectbox("Model", ["one", "two"])
    st.segmented_control("Look", ["off", "light", "dark"], default="off")
st.title("Plain")
st.text_input("Sentence B", "")
st.segmented_control("Dimensions", ["all", "window"], default="all")
st.number_input("Token", value=None)
words = ["[CLS]", *st.text_input("Sentence A", "some text").split(), "[SEP]"]
values = np.random.default_rng(0).normal(size=({HEATMAPS}, len(words), 384)).astype(np.float32)
labels = [f"{{i}} {{word}}" for i, word in enumerate(words)]
figure = make_subplots(rows={HEATMAPS}, shared_xaxes=True)
for row, part in enumerate(values, start=1):
    figure.add_heatmap(z=part, y=labels, showscale=False, row=row, col=1)
st.plotly_chart(figure.update_layout(height=1450))
"""
APP, PLAIN_APP, EAGER_APP = "this app", "a plain page", "this app with torch at the page's top"
EAGER = "import torch\nfrom transformers import BertModel\n\n"


class Contender(NamedTuple):
    """An app whose page has five heatmaps; its port is kept, and so the browser's cache warm."""

    name: str
    folder: Path
    port: int


def main() -> None:
    """Print the figures."""
    cold()
    report.heading("Start and visit: to the painted heatmaps of Input Embeddings")
    with TemporaryDirectory() as scratch, chromium() as browser, ExitStack() as stack:
        contenders = _contenders(Path(scratch))
        known = {one: stack.enter_context(fresh_page(browser)) for one in contenders}
        for one, page in known.items():
            _make_known(one, page)
        starts = _in_turn(contenders, RUNS, lambda one: _start(one, known[one]))
        first = _in_turn(contenders[:2], FIRST_RUNS, lambda one: _with_new_browser(one, browser))
        urls = {one: stack.enter_context(running(one.folder, port=one.port)).url
                for one in contenders if one.name != EAGER_APP}  # fmt: skip
        visits = _in_turn(list(urls), VISITS, lambda one: _visit(urls[one], known[one]))
        new = _in_turn(list(urls), VISITS, lambda one: _with_new_browser(one, browser, urls[one]))
    _print("start, browser's cache warm", starts)
    _print("first visit ever, to a server just started", first)
    faster = report.ratio(first[EAGER_APP], first[APP])
    report.target(f"  faster than {EAGER_APP}", faster, "x", least=2.0)
    _print("visit to a running server, browser's cache warm", visits)
    _print("visit of a new browser to a running server", new)


def cold() -> None:
    """Print what a page takes that needs the model, as the first one ever of a server."""
    report.heading("First visit ever, to a server just started: from starting it until painted")
    pages: dict[str, Callable[[Page], float]] = {
        ADDRESS: lambda page: time_of_heatmaps(page, HEATMAPS),
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
    for name, seconds in times.items():
        report.figure(f"{what}: {name}", median(seconds), "s", spread=seconds)
    if PLAIN_APP in times:
        equal = report.ratio(times[APP], times[PLAIN_APP])
        report.target(f"  {APP} / {PLAIN_APP}", equal, "x", most=1.15)


def _contenders(scratch: Path) -> list[Contender]:
    lazy, eager = copied_app(scratch / "lazy"), copied_app(scratch / "eager")
    page = eager / PAGE
    page.write_text(EAGER + page.read_text(encoding="utf-8"), encoding="utf-8")
    plain = small_app(scratch / "plain", "")
    (plain / "pages").mkdir()
    (plain / PAGE).write_text(PLAIN, encoding="utf-8")
    apps = {APP: lazy, EAGER_APP: eager, PLAIN_APP: plain}
    return [Contender(name, folder, free_port()) for name, folder in apps.items()]


def _make_known(one: Contender, page: Page) -> None:
    """Visit often enough that disk, bytecode and the browser's cache are warm."""
    with running(one.folder, port=one.port) as app:
        for _ in range(WARM):
            _visit(app.url, page)
            page.wait_for_timeout(1500)


def _with_new_browser(one: Contender, browser: Browser, url: str = "") -> float:
    """A visit, or a start where there is no address, with a browser that has never been there."""
    with fresh_page(browser) as page:
        return _visit(url, page) if url else _start(one, page)


def _start(one: Contender, page: Page) -> float:
    """From starting the process to the painted page."""
    with running(one.folder, port=one.port) as app:
        return _visit(app.url, page, app.started)


def _visit(url: str, page: Page, begun: float = 0) -> float:
    """From going to the address, or from before, to the painted page."""
    begun = begun or time.time()
    page.goto(f"{url}/{ADDRESS}", wait_until="commit")
    seconds = time_of_heatmaps(page, HEATMAPS) - begun
    page.wait_for_timeout(300)
    page.goto("about:blank")
    return seconds


if __name__ == "__main__":
    cold() if sys.argv[1:] == ["cold"] else main()
    report.end()
