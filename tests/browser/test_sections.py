"""A section opens where it is seen, and stays open on the way to another page and back."""

import pytest
from playwright.sync_api import Page, expect

from tests.live_app import CHART, PAGES, choose, follow, go, query, settled

SIZES = ((1440, 900), (1280, 720), (390, 844))
SWITCH = ".st-key-section [role=radio]"
FINDING = '.st-key-section ~ * :is(.bx-finding, [data-testid="stDataFrame"])'  # some have none
# Finding and picture of the open section: which share of each is on the screen; none is missing.
SEEN = """(parts) => parts.map((part) => {
  const box = document.querySelector(part)?.getBoundingClientRect();
  return box ? (Math.min(box.bottom, innerHeight) - Math.max(box.top, 0)) / box.height : 1;
})"""


def open_and_look(page: Page, label: str) -> list[float]:
    """Open a section from the top of the page, run its model, and look at what is on the screen."""
    page.keyboard.press("Shift")  # nothing is brought into sight any longer
    page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTo(0, 0)")
    page.wait_for_timeout(100)
    expect(page.locator("h1")).to_be_in_viewport()
    page.get_by_role("radio", name=label, exact=True).click()
    idle(page)
    run = page.locator("[class*=st-key-run_] button")
    if run.count():
        run.click()
        idle(page)
    return shares_seen(page)


def idle(page: Page) -> None:
    page.wait_for_timeout(300)
    state = '[data-testid="stApp"][data-test-script-state="notRunning"]'
    page.wait_for_selector(state, timeout=180_000)  # the library is loaded once


def shares_seen(page: Page) -> list[float]:
    expect(page.locator(FINDING).first).to_be_in_viewport(timeout=60_000)
    parts = [FINDING, f".st-key-section ~ * {CHART}"]
    for _ in range(20):  # a picture is drawn after the page has run
        if min(seen := page.evaluate(SEEN, parts)) >= 0.98:
            break
        page.wait_for_timeout(100)
    return seen


@pytest.mark.parametrize("path", [path for path in PAGES if path not in ("", "Methods")])
def test_a_section_opens_where_its_finding_and_picture_are_seen(page: Page, path: str) -> None:
    seen = {}
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        go(page, f"{path}?present=1" if width == 1280 else path)
        for label in page.locator(SWITCH).all_inner_texts():
            seen[width, label] = open_and_look(page, label)
        if seen:  # Nearest Neighbors has none
            page.reload()
            settled(page)
            seen[width, "by its address"] = shares_seen(page)
    assert {place: shares for place, shares in seen.items() if min(shares) < 0.98} == {}


def test_a_section_stays_open_on_the_way_to_another_page_and_back(page: Page) -> None:
    go(page, "Positions_and_Segments")
    choose(page, "experiments")
    follow(page, "Tokens")
    opened = page.locator(f"{SWITCH}[aria-checked=true]")
    expect(opened).to_have_count(0)
    choose(page, "padding")
    follow(page, "Positions and Segments")
    expect(opened).to_have_text("experiments")
    assert query(page)["section"] == "experiments"
    page.go_back()
    settled(page)
    expect(opened).to_have_text("padding")
    follow(page, "Home")
    page.go_back()
    settled(page)
    expect(opened).to_have_text("padding")
    assert query(page)["section"] == "padding"
