"""Chromium, and when a page is really painted."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

ARGUMENTS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LONGEST_WAIT = 60_000  # milliseconds

# Runs in every page before its own scripts. `heatmaps(token, count)` gives the pictures of a chart
# that has `count` of them and shows that token on its first axis: Plotly draws a heatmap, cell by
# cell or as a picture, into one <image> in a group .hm or .im. `timeOf(ready)` resolves to the wall
# clock, in ms, of the second frame after `ready()` gave elements and their pictures were decoded.
SCRIPT = """
window.bench = {
  enterAt: 0,
  heatmaps(token, count) {
    for (const chart of document.querySelectorAll(".js-plotly-plot")) {
      const ticks = [...chart.querySelectorAll(".ytick text")].map((t) => t.textContent);
      if (!ticks.some((t) => token === null || t.endsWith(` ${token}`))) continue;
      const images = [...chart.querySelectorAll(".hm image, .im image")].filter(
        (i) => (i.getAttribute("href") || i.getAttribute("xlink:href") || "").length > 100,
      );
      if (images.length === count) return images;
    }
    return null;
  },
  withText(selector, text) {
    const found = [...document.querySelectorAll(selector)];
    const element = found.find((e) => e.textContent.includes(text));
    return element ? [element] : null;
  },
  frame: () => new Promise((done) => requestAnimationFrame(done)),
  // Looked at when the page changes: at every frame, the looking would take a sixth of a processor.
  whenChanged(ready) {
    return new Promise((done) => {
      let found = ready();
      if (found) return done(found);
      const look = () => {
        if (!(found = ready())) return;
        observer.disconnect();
        clearInterval(timer);
        done(found);
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { childList: true, characterData: true, subtree: true });
      const timer = setInterval(look, 50); // for changes of an attribute alone
    });
  },
  async timeOf(ready) {
    const found = await bench.whenChanged(ready);
    await Promise.all(found.map((e) => (e.decode ? e.decode().catch(() => {}) : null)));
    await bench.frame();
    await bench.frame();
    return performance.timeOrigin + performance.now();
  },
};
addEventListener("keydown", (event) => {
  if (event.key === "Enter") bench.enterAt = performance.timeOrigin + performance.now();
}, true);
"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium: the system's, else the one playwright installs."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(ARGUMENTS)
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
    page.set_default_timeout(LONGEST_WAIT)
    try:
        yield page
    finally:
        context.close()


def time_of_heatmaps(page: Page, count: int, token: str | None = None) -> float:
    """Wait until a chart's heatmaps are painted.

    Args:
        page: An opened page.
        count: How many heatmaps the chart has.
        token: A token among the labels of the chart to wait for, and of no chart before it;
            None takes any chart.

    Returns:
        `time.time()` of that moment, by the page's clock.
    """
    found: float = page.evaluate(
        "([token, count]) => bench.timeOf(() => bench.heatmaps(token, count))", [token, count]
    )
    return found / 1000


def time_of_text(page: Page, selector: str, text: str) -> float:
    """Wait until an element with a text is painted; returns `time.time()` by the page's clock."""
    found: float = page.evaluate(
        "([selector, text]) => bench.timeOf(() => bench.withText(selector, text))",
        [selector, text],
    )
    return found / 1000


def time_of_enter(page: Page) -> float:
    """When Enter was last pressed in the page, as `time.time()`."""
    pressed: float = page.evaluate("() => bench.enterAt")
    return pressed / 1000
