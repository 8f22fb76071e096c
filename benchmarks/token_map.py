"""The map of the token table: time until it is painted, a token highlighted, its rows listed."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page

from benchmarks import report
from benchmarks.app_server import copied_app, running, small_app
from benchmarks.browser import (
    chromium,
    fresh_page,
    time_of_enter,
    time_of_heatmaps,
    time_of_text,
)

LOADS, SEARCHES = 5, 7
# What Plotly itself takes for as many points with their names, by WebGL, and nothing else.
PLAIN = """import numpy as np
import plotly.graph_objects as go
import streamlit as st


@st.cache_data
def points():
    rng = np.random.default_rng(0)
    return rng.normal(size=(2, 30_522)).astype(np.float32), rng.integers(0, 8, 30_522)


(x, y), kinds = points()
names = [f"token{i}" for i in range(30_522)]
marker = {"size": 3, "color": kinds, "colorscale": "Viridis"}
cloud = go.Scattergl(x=x, y=y, text=names, mode="markers", marker=marker)
st.plotly_chart(go.Figure(cloud).update_layout(height=410))
"""
# Both wait until the second frame after the chart is on the page and its pictures are decoded.
PICTURE = """() => bench.timeOf(() => {
  const found = [...document.querySelectorAll(".js-plotly-plot .imagelayer image")];
  return found.length ? found : null;
})"""
CANVAS = """() => bench.timeOf(() => {
  const found = [...document.querySelectorAll(".js-plotly-plot canvas")];
  return found.length && document.querySelector(".js-plotly-plot .xtick") ? found : null;
})"""
# Words that are one token each; none is a neighbour of another.
WORDS = (
    "python apple bridge camera desert engine hammer jacket kitchen lemon mirror needle orange"
    " pencil rabbit silver uncle yellow zebra basket"
).split()


def main() -> None:
    """Print the figures."""
    report.heading("Map of the token table")
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        app = stack.enter_context(running(copied_app(scratch / "app")))
        plain = stack.enter_context(running(small_app(scratch / "plain", PLAIN)))
        browser = stack.enter_context(chromium())
        addresses = {
            "map": (f"{app.url}/Nearest_Neighbors?q=", PICTURE),
            "plain": (plain.url, CANVAS),
        }
        loads: dict[str, list[float]] = {name: [] for name in addresses}
        for run in range(-1, LOADS):  # the one before the first is a server's first
            for name, (url, painted) in addresses.items():
                seconds = _load(browser, url, painted)
                if run >= 0:
                    loads[name].append(seconds)

        def opened(path: str) -> Page:
            page = stack.enter_context(fresh_page(browser))
            page.goto(f"{app.url}/{path}")
            return page

        words = iter(WORDS)
        searches = _interleaved(
            {
                "sentence": (opened("Input_Embeddings"), "a", _sentence_painted),
                "find": (opened("Nearest_Neighbors?q="), "q", _token_highlighted),
                "list": (opened("Nearest_Neighbors"), "q", _neighbors_listed),
            },
            lambda: next(words),
        )

    report.figure("load the map", median(loads["map"]), "s", spread=loads["map"])
    report.figure(
        "load a plain page, a scattergl of 30,522 points",
        median(loads["plain"]),
        "s",
        spread=loads["plain"],
    )
    against = report.ratio(loads["map"], loads["plain"])
    report.target("load: map / plain scattergl", against, "x", most=1.2)
    names = {
        "sentence": "a new sentence on Input Embeddings",
        "find": "find a token on the map",
        "list": "list its neighbours",
    }
    for key, name in names.items():
        report.figure(name, median(searches[key]), "s", spread=searches[key])
    for key in ("find", "list"):
        against = report.ratio(searches[key], searches["sentence"])
        report.target(f"{names[key]} / a new sentence", against, "x", most=1.0)


def _load(browser: Browser, url: str, painted: str) -> float:
    """From asking for a page to its painted chart, in a browser that knows nothing of it."""
    with fresh_page(browser) as page:
        page.goto(url, wait_until="commit")
        begun = float(page.evaluate("performance.timeOrigin"))
        return (float(page.evaluate(painted)) - begun) / 1000


Painted = Callable[[Page, str], float]


def _interleaved(
    pages: dict[str, tuple[Page, str, Painted]], word: Callable[[], str]
) -> dict[str, list[float]]:
    """Type a new word into each page's field, in turn, and wait until its result is painted."""
    times: dict[str, list[float]] = {name: [] for name in pages}
    for run in range(-1, SEARCHES):
        typed = word()
        for name, (page, key, painted) in pages.items():
            field = page.locator(f".st-key-{key} input")
            field.wait_for()
            page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
            page.wait_for_timeout(700)
            field.fill(f"I love my {typed}" if key == "a" else typed)
            field.press("Enter")
            seconds = painted(page, typed) - time_of_enter(page)
            if run >= 0:
                times[name].append(seconds)
    return times


def _sentence_painted(page: Page, word: str) -> float:
    return time_of_heatmaps(page, 5, word)


def _token_highlighted(page: Page, word: str) -> float:
    return time_of_text(page, ".js-plotly-plot .annotation-text", word)


def _neighbors_listed(page: Page, word: str) -> float:
    return time_of_text(page, ".js-plotly-plot .ytick text", word)


if __name__ == "__main__":
    main()
