"""Until a page is painted by a new browser: of a server just started, and of one running."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from playwright.sync_api import Page

from benchmarks import report
from benchmarks.app_server import copied_app, running
from benchmarks.browser import chromium, fresh_page, time_of_heatmaps, time_of_paths
from benchmarks.rerun import plain_pages

STARTS, VISITS = 7, 9
EMBEDDINGS = "Input_Embeddings"
HEATMAPS = 5


class Contender(NamedTuple):
    """A page, and by what time it is painted."""

    name: str
    folder: Path  # of its app
    address: str
    painted: Callable[[Page], float]


def main() -> None:
    """Print the figures."""
    with TemporaryDirectory() as scratch, ExitStack() as stack:
        app = copied_app(Path(scratch) / "app")
        plain_app = plain_pages(app, Path(scratch) / "plain", [EMBEDDINGS])
        browser = stack.enter_context(chromium())
        heatmaps = partial(time_of_heatmaps, count=HEATMAPS)
        ours = Contender("Input Embeddings", app, EMBEDDINGS, heatmaps)
        plain = Contender("a plain page", plain_app, EMBEDDINGS, heatmaps)
        plane, paths = (partial(time_of_paths, chart=chart) for chart in ("plane", "paths"))
        context = Contender("Word in Context", app, "Word_in_Context", plane)
        home = Contender("Home", app, "", paths)

        def visit(one: Contender, url: str, begun: float = 0) -> float:
            with fresh_page(browser) as page:
                begun = begun or time.time()
                page.goto(f"{url}/{one.address}", wait_until="commit")
                return one.painted(page) - begun

        def start(one: Contender) -> float:
            with running(one.folder) as server:
                return visit(one, server.url, server.started)

        report.heading("First visit ever: from starting the server until painted")
        first = {one.name: partial(start, one) for one in (ours, plain, context, home)}
        starts = report.in_turn(first, STARTS)
        _compare(starts, ours, plain, 1.15)
        for one in (context, home):
            _compare(starts, one, ours, 1.2)
        report.heading("A visit to a running server, until painted")
        urls = {one: stack.enter_context(running(one.folder)).url for one in (ours, plain)}
        later = {one.name: partial(visit, one, url) for one, url in urls.items()}
        _compare(report.in_turn(later, VISITS), ours, plain, 1.15)


def _compare(times: dict[str, list[float]], one: Contender, other: Contender, most: float) -> None:
    ratio = report.ratio(times[one.name], times[other.name])
    report.figure(f"  {one.name} / {other.name}", ratio, "x", most=most)


if __name__ == "__main__":
    main()
    report.end()
