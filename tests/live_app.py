"""The real app on a free port, and a real browser to look at it."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    FloatRect,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from benchmarks.app_server import ROOT, at_port, free_port, serving
from bertviz_core.ui.page import PAGES as LISTED

# As in the address; "" is Home.
PAGES = [entry.address for entry in LISTED]
CHART = '[data-testid="stPlotlyChart"]'
PHONE = {"has_touch": True, "viewport": {"width": 390, "height": 844}}
expect.set_options(timeout=30_000)
QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # As on many virtual desktops: no picture may depend on it.
    *("--disable-gpu", "--disable-webgl", "--disable-webgl2", "--disable-3d-apis"),
    # A page lives for seconds: compiling its scripts well would take longer than running them.
    "--js-flags=--no-opt --no-maglev",
]


# In each page, before its own scripts: `runsOpen` is not "" from what is asked of the server until
# the run that answers has ended. A message begins with its hash and metadata (fields 1 and 2 of
# `ForwardMsg`), then says what it is; a request to run is field 11 of `BackMsg` (Streamlit 1.67).
RUNS = """{
  const [NEW_SESSION, FINISHED, RERUN, EARLY_FOR_RERUN] = [4 << 3 | 2, 6 << 3, 11 << 3 | 2, 2];
  const read = ({ data }) => {
    const bytes = new Uint8Array(data);
    let at = 0;
    while (bytes[at] === 0x0a || bytes[at] === 0x12) {
      let size = 0, shift = 0;
      do size |= (bytes[++at] & 127) << shift; while (shift += 7, bytes[at] > 127);
      at += size + 1;
    }
    if (bytes[at] === NEW_SESSION) window.runsOpen = "running";
    const hasEnded = bytes[at] === FINISHED && bytes[at + 1] !== EARLY_FOR_RERUN;
    if (hasEnded && window.runsOpen === "running") window.runsOpen = "";
  };
  const send = WebSocket.prototype.send, known = new WeakSet();
  WebSocket.prototype.send = function (data) {
    if (!known.has(this)) this.addEventListener("message", read);
    known.add(this);
    if (data[0] === RERUN) window.runsOpen = "asked";
    return send.call(this, data);
  };
  addEventListener("beforeunload", () => { window.runsOpen = "leaving"; });
}"""
HAS_RUN = """() => !window.runsOpen && Boolean(document.querySelector(
  '[data-testid="stApp"][data-test-script-state="notRunning"] :is(h1, .bx)'))"""
# Two frames, and then nothing else to do. (Chromium 156 may let `requestIdleCallback` wait for its
# timeout on a page that stands still; behind another tab there are no frames.)
DRAWN = """new Promise((done) => {
  const whenIdle = () => scheduler.postTask(done, {priority: "background"});
  requestAnimationFrame(() => requestAnimationFrame(whenIdle));
  setTimeout(done, 10_000);
})"""


def chromium() -> str | None:
    """The browser of this machine: CHROMIUM, or the first of the usual names on the path."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@contextmanager
def running_app(**environ: str) -> Iterator[str]:
    """Start a fresh server, wait until it answers, give its address, stop it."""
    port = free_port()
    command = [
        *(sys.executable, "-m", "streamlit", "run", "app.py"),
        *at_port(port),
        *("--client.showErrorDetails", "full"),  # tests look for exceptions
    ]
    with serving(command, port, cwd=ROOT, env={**os.environ, **environ}) as (address, _):
        yield address


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve the files of a folder on a free port, which it gives."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Chromium without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        yield browser
        browser.close()


@contextmanager
def visitor(browser: Browser, address: str, **device: Any) -> Iterator[BrowserContext]:
    """A browser profile of its own, at the app; `device` says on what.

    Its pages are closed, it itself goes with the browser: Chromium may leave Playwright without an
    answer when a context is closed, which Playwright then awaits without end
    (https://github.com/duckduckgo/tracker-radar-collector/pull/88).
    """
    # Skeletons that shimmer take a tenth of a processor in a browser without a GPU.
    context = browser.new_context(base_url=address, reduced_motion="reduce", **device)
    context.add_init_script(RUNS)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.set_default_timeout(30_000)
    yield context
    for page in context.pages:  # else they go on running beside the other tests
        page.close()


def as_new(page: Page) -> None:
    """Let a tab leave the app and forget, as if it were opened anew.

    A tab that has run Streamlit's scripts before loads a page in about half the time of a new one.
    """
    page.goto("/_stcore/health")  # without the app's scripts, which would load the page anew
    page.evaluate("localStorage.clear(), sessionStorage.clear()")


def settled(page: Page, *, patience: float = 60_000) -> None:
    """Wait until all that was asked for has run, and nothing is drawn any more."""
    has_run = False
    while not has_run:  # what is drawn may ask for another run
        # Looked at in every frame, the page would be drawn sixty times a second meanwhile.
        page.wait_for_function(HAS_RUN, timeout=patience, polling=50)
        try:
            page.evaluate(DRAWN)
            has_run = page.evaluate(HAS_RUN)
        except Error as error:  # the page was loaded anew, as it is for another look
            if "navigation" not in str(error):
                raise


def go(page: Page, path: str) -> None:
    page.goto(f"/{path}")
    settled(page)


def fill(page: Page, key: str, text: str) -> None:
    typed = field(page, key)
    typed.fill(text)
    typed.press("Control+Enter" if typed.evaluate("e => e.tagName") == "TEXTAREA" else "Enter")
    settled(page)


def field(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key} input, .st-key-{key} textarea").first


def choose(page: Page, label: str) -> None:
    """One of a few options side by side, such as a section."""
    option = page.get_by_role("radio", name=label, exact=True)
    option.click()
    expect(option).to_be_checked()
    settled(page)


def follow(page: Page, link: str) -> None:
    page.get_by_role("link", name=link, exact=True).click()
    settled(page)


def value(page: Page, name: str) -> Locator:
    """What the page's sentences say under a name."""
    return page.locator(f'bdi[data-name="{name}"]')


def chips(page: Page) -> Locator:
    """The tokens of the page's sentence."""
    return page.locator(".bx-token")


def query(page: Page) -> dict[str, str]:
    """The inputs in the address."""
    return dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))


def box(drawn: Locator) -> FloatRect:
    """Where the first of these is drawn, in pixels."""
    place = drawn.first.bounding_box()
    assert place is not None
    return place


def assert_fits_a_phone(page: Page) -> None:
    """Nothing scrolls sideways, and no chart is cut off."""
    main = page.locator('[data-testid="stMain"]')
    wide, shown = main.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert wide <= shown == 390
    for chart in page.locator(CHART).all():
        drawn = box(chart)
        assert drawn["x"] >= 0
        assert drawn["x"] + drawn["width"] <= 390


def assert_drawn(page: Page, complaints: list[str]) -> None:
    """All charts are there, none asks for WebGL, and no script has complained."""
    for chart in page.locator(CHART).all():
        expect(chart.locator(".main-svg").first).to_be_attached()
    assert page.locator(".no-webgl").count() == 0
    assert "WebGL" not in page.locator("body").inner_text()
    assert complaints == []
