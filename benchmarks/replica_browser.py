"""What Chromium shows when the replica that serves its page is killed."""

import os
import re
import signal
import time
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from benchmarks import report
from benchmarks.browser import chromium, fresh_page
from benchmarks.replicas import NAMES, SHARED, Pair, replicated

IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
PAGE = "Word_in_Context"
LONGEST_WAIT = 120_000  # milliseconds


def main() -> None:
    """Open a shared link, kill its replica, and print what is seen then and after a reload."""
    with replicated() as pair:
        look(pair)


def look(pair: Pair) -> None:
    """The same with two replicas behind nginx."""
    report.heading("Chromium behind nginx, and the replica that serves it is killed")
    address = f"{pair.url}/{PAGE}?{urlencode(SHARED[PAGE])}"
    with chromium() as browser, fresh_page(browser) as page:
        page.goto(address)
        before = _settled_view(page)
        page.reload()  # the first visit began before the percentile scale was there
        before = _settled_view(page)
        holder = _holder(page)
        print(f"  {len(before)} values by name, from replica {holder}", flush=True)
        os.kill(pair.replicas[NAMES.index(holder)].pid, signal.SIGKILL)
        killed = time.monotonic()
        shown: list[str] = []
        while _holder(page) == holder and time.monotonic() < killed + LONGEST_WAIT / 1000:
            _note(page, shown, killed)
            page.wait_for_timeout(50)
        report.figure("connected to the other one after", time.monotonic() - killed, "s")
        _note(page, shown, killed)
        same = _settled_view(page) == before
        report.target("without a reload the page shows the same", float(same), "", least=1)
        report.figure("... and is at rest after", time.monotonic() - killed, "s")
        print("  seen meanwhile: " + ("; ".join(shown) or "nothing"))
        page.reload()
        same = _settled_view(page) == before
        report.target("after a reload it shows the same", float(same), "", least=1)
        report.target("... from the other one", float(_holder(page) != holder), "", least=1)
        asked = {key: value for key, value in SHARED[PAGE].items() if f"{key}=" in page.url}
        report.target("... and the address is kept", float(asked == SHARED[PAGE]), "", least=1)


def _settled_view(page: Page) -> list[tuple[str, str]]:
    """The page's values by name, as soon as nothing runs any more."""
    expect(page.locator("h1").first).to_be_visible(timeout=LONGEST_WAIT)
    expect(page.locator('[data-testid="stPlotlyChart"]').first).to_be_visible(timeout=LONGEST_WAIT)
    expect(page.get_by_role("progressbar")).to_have_count(0, timeout=LONGEST_WAIT)
    for _ in range(3):  # what has just come may start another run
        page.wait_for_selector(IDLE, timeout=LONGEST_WAIT)
        page.wait_for_timeout(500)
    found: list[list[str]] = page.locator("bdi[data-name]").evaluate_all(
        "found => found.map(one => [one.dataset.name, one.textContent])"
    )
    return [(name, value) for name, value in found]


def _holder(page: Page) -> str:
    """The replica that holds the session, by the cookie of nginx."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    return cookies.get("replica", "")


def _note(page: Page, shown: list[str], since: float) -> None:
    """Write down what the status of the page says, once each."""
    for test_id in ("stConnectionStatus", "stStatusWidget", "stDialog"):
        for text in page.get_by_test_id(test_id).all_inner_texts():
            text = re.sub(r"\s+", " ", text).strip()
            if text and not any(text in one for one in shown):
                shown.append(f"{text} ({time.monotonic() - since:.1f} s)")


if __name__ == "__main__":
    main()
