"""A section opens where it is seen, and stays open on the way to another page and back.

On the way through all sections their tables are looked at: what can be taken from a page are only
files of the app's own, which no spreadsheet runs.
"""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.live_app import CHART, PAGES, box, choose, follow, go, query, settled

SWITCH = ".st-key-section [role=radio]"
FINDING = '.st-key-section ~ * :is(.bx-finding, [data-testid="stDataFrame"])'  # some have none
# Finding and picture of the open section: which share of each is on the screen; none is missing.
SEEN = """(parts) => parts.map((part) => {
  const box = document.querySelector(part)?.getBoundingClientRect();
  return box ? (Math.min(box.bottom, innerHeight) - Math.max(box.top, 0)) / box.height : 1;
})"""
TABLE = '[data-testid="stDataFrame"]'
FOLDED = '[class*="-numbers"] details:not([open]) > summary'
# What a table's toolbar offers, up to the table's name, and whatever else saves a file.
OFFERED = """() => [...document.querySelectorAll('[data-testid="stElementToolbar"] button')]
  .map((button) => button.ariaLabel.split(":")[0])"""
SAVES = """() => [...document.querySelectorAll("a[download], button, [role=menuitem]")]
  .filter((one) => /download|export|csv/i.test(`${one.ariaLabel} ${one.textContent}`))
  .filter((one) => !one.closest('.modebar, [class*="st-key-csv_"]'))
  .map((one) => one.outerHTML)"""


def open_and_look(page: Page, label: str) -> list[float]:
    """Open a section from the top of the page, run its model, and look at what is on the screen."""
    page.keyboard.press("Shift")  # nothing is brought into sight any longer
    page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTo(0, 0)")
    expect(page.locator("h1")).to_be_in_viewport()
    page.get_by_role("radio", name=label, exact=True).click()
    settled(page)
    run = page.locator("[class*=st-key-run_] button")
    if run.count():
        run.click()
        settled(page, patience=180_000)  # the library is loaded once
    return shares_seen(page)


def shares_seen(page: Page) -> list[float]:
    expect(page.locator(FINDING).first).to_be_in_viewport(timeout=60_000)
    parts = [FINDING, f".st-key-section ~ * {CHART}"]
    for _ in range(20):  # a picture is drawn after the page has run
        if min(seen := page.evaluate(SEEN, parts)) >= 0.98:
            break
        page.wait_for_timeout(100)
    return seen


def tables_saved_by_us_alone(page: Page) -> int:
    """Open every table that is folded; how many there are."""
    while page.locator(FOLDED).count():
        page.locator(FOLDED).first.click()
        settled(page)
    if tables := page.locator(TABLE).count():
        offered = set(page.evaluate(OFFERED))
        assert offered >= {"Search"}, "toolbars are there"
        assert offered <= {"Search", "Fullscreen", "Show/hide columns"}
        assert page.evaluate(SAVES) == []
    return tables


def opened_by_its_address(page: Page) -> list[float]:
    page.reload()
    settled(page)
    return shares_seen(page)


@pytest.mark.parametrize("path", [path for path in PAGES if path != "Methods"])
def test_a_walk_through_a_page(page: Page, path: str) -> None:
    """Each section, on three screens; tables on the first, the page itself as it is presented."""
    seen: dict[tuple[int, str], list[float]] = {}
    go(page, path)
    labels = page.locator(SWITCH).all_inner_texts()  # some pages have none
    tables = tables_saved_by_us_alone(page) if not labels else 0
    for label in labels:
        seen[1440, label] = open_and_look(page, label)
        tables += tables_saved_by_us_alone(page)
    assert tables
    if labels:
        seen[1440, "by its address"] = opened_by_its_address(page)
    if path:  # test_home.py has Home
        page.set_viewport_size({"width": 1280, "height": 720})
        go(page, f"{path}?present=1")
        picture = box(page.locator(CHART))
        assert picture["y"] + picture["height"] <= 720
        assert picture["height"] >= 240, "a third of the screen at least"
        assert 0 <= box(page.locator(".bx-finding"))["y"] < picture["y"]
    if labels:
        seen |= {(1280, label): open_and_look(page, label) for label in labels}
        seen[1280, "by its address"] = opened_by_its_address(page)
        page.set_viewport_size({"width": 390, "height": 844})
        opened = {"section": labels[-1]} if len(labels) > 1 else {}  # a click would close it
        go(page, f"{path}?{urlencode(opened)}")
        if opened:
            seen[390, "by its address"] = shares_seen(page)
        seen |= {(390, label): open_and_look(page, label) for label in labels}
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
