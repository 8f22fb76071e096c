"""Chromium, and when a page is really painted."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

ARGUMENTS = "--no-sandbox --disable-background-networking --disable-component-update --disable-sync"
MAX_WAIT = 60_000  # milliseconds

# Runs in every page before its own scripts. `heatmaps(count)` gives the pictures of a chart that
# has `count` of them: Plotly draws a heatmap, cell by cell or as a picture, into one <image> in a
# group .hm or .im. `timeOf(ready)` resolves to the wall clock, in ms, of the second frame after
# `ready()` gave elements and their pictures were decoded.
SCRIPT = """
window.bench = {
  heatmaps(count) {
    for (const chart of document.querySelectorAll(".js-plotly-plot")) {
      const images = [...chart.querySelectorAll(".hm image, .im image")].filter(
        (i) => (i.getAttribute("href") || i.getAttribute("xlink:href") || "").length > 100,
      );
      if (images.length === count) return images;
    }
    return null;
  },
  frame: () => new Promise((done) => requestAnimationFrame(done)),
  async timeOf(ready) {
    let found;
    while (!(found = ready())) await new Promise((done) => setTimeout(done, 20));
    await Promise.all(found.map((e) => (e.decode ? e.decode().catch(() => {}) : null)));
    await bench.frame();
    await bench.frame();
    return performance.timeOrigin + performance.now();
  },
};
"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium: the system's, else the one playwright installs."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS.split()
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def fresh_page(browser: Browser) -> Iterator[Page]:
    """A page of its own context: nothing cached, nothing stored."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(SCRIPT)
    page = context.new_page()
    page.set_default_timeout(MAX_WAIT)
    try:
        yield page
    finally:
        context.close()


def time_of_heatmaps(page: Page, count: int) -> float:
    """Wait until a chart of so many heatmaps is painted; returns `time.time()` by its clock."""
    found: float = page.evaluate("count => bench.timeOf(() => bench.heatmaps(count))", count)
    return found / 1000


def time_of_paths(page: Page, chart: str) -> float:
    """The same for the paths of Word in Context and Home, in the chart of that name."""
    paths = f"document.querySelectorAll('[class*=st-key-chart_{chart}] .scatterlayer .js-line')"
    found: float = page.evaluate(f"bench.timeOf(() => {paths}.length && [...{paths}])")
    return found / 1000
