"""What holds on every page: the picture first, drawn without WebGL, readable, also on a phone.

Its sections open where they are seen, and what can be taken from their tables are only files of the
app's own, which no spreadsheet runs. One visit of a page answers for all of it, because to load a
page and to open a section takes about a second each.
"""

from itertools import cycle
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.accessibility import violations
from tests.live_app import CHART, PAGES, assert_drawn, assert_fits_a_phone, box, choose, go, settled

MAIN = '[data-testid="stMain"]'
SWITCH = ".st-key-section [role=radio]"
# What looks like a button, but for the menus of charts and tables, which show under the pointer.
BUTTONS = (
    '[data-testid="stMain"] :is(button, [role=radio], summary, .bx-links a, .updatemenu-button)'
    ':not(.modebar *, [data-testid="stElementToolbar"] *, [data-testid="stTooltipIcon"] *)'
)
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
WIDE, NARROW, PROJECTED = (
    ViewportSize(width=width, height=height)
    for width, height in ((1440, 900), (390, 844), (1280, 720))
)


def resize(page: Page, size: ViewportSize) -> None:
    page.set_viewport_size(size)
    settled(page)


def darken(page: Page) -> None:
    """Pictures have the look with which their page was opened."""
    page.emulate_media(color_scheme="dark")
    page.reload()
    settled(page)


def to_the_top(page: Page) -> None:
    page.keyboard.press("Shift")  # nothing is brought into sight any longer
    page.locator(MAIN).evaluate("main => main.scrollTo(0, 0)")
    expect(page.locator("h1")).to_be_in_viewport()


def open_section(page: Page, label: str) -> None:
    """Open a section from the top of the page, and run its model."""
    to_the_top(page)
    page.get_by_role("radio", name=label, exact=True).click()
    settled(page)
    run = page.locator("[class*=st-key-run_] button")
    if run.count():
        run.click()
        settled(page, patience=180_000)  # the library is loaded once


def assert_section_seen(page: Page) -> None:
    expect(page.locator(FINDING).first).to_be_in_viewport(timeout=60_000)
    parts = [FINDING, f".st-key-section ~ * {CHART}"]
    for _ in range(20):  # a picture is drawn after the page has run
        if min(seen := page.evaluate(SEEN, parts)) >= 0.98:
            return
        page.wait_for_timeout(100)
    opened = page.locator(f"{SWITCH}[aria-checked=true]").all_inner_texts()
    pytest.fail(f"{opened} at {page.viewport_size}: {seen} is seen")


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


def assert_picture_first(page: Page, path: str) -> None:
    picture = box(page.locator(CHART))
    assert picture["y"] + picture["height"] <= 900
    if path:  # Home is a list of ways on
        assert page.locator(SWITCH).count() <= 6
        assert len([one for one in page.locator(BUTTONS).all() if one.is_visible()]) <= 15


def assert_presented(page: Page, path: str, labels: list[str]) -> None:
    """On a projector: the picture of the page is large, and each section is seen."""
    page.set_viewport_size(PROJECTED)
    *others, last = labels
    go(page, f"{path}?{urlencode({'present': 1, 'section': last})}")
    assert_section_seen(page)
    for label in others:
        open_section(page, label)
        assert_section_seen(page)
    to_the_top(page)
    picture = box(page.locator(CHART))
    assert picture["y"] + picture["height"] <= 720
    assert picture["height"] >= 240, "a third of the screen at least"
    assert 0 <= box(page.locator(".bx-finding"))["y"] < picture["y"]


@pytest.mark.parametrize("path", PAGES)
def test_a_visit(page: Page, complaints: list[str], path: str) -> None:
    """Light and dark, wide and on a phone: a section opens on one of them, and turns to the other.

    Axe sees the page as it was opened, and from then on the last section and its tables as well.
    """
    go(page, path)
    has_picture = path != "Methods"  # which is a text
    if has_picture:
        expect(page.locator(CHART).first).to_be_visible(timeout=60_000)
        assert_picture_first(page, path)
    assert not page.evaluate("Boolean(document.createElement('canvas').getContext('webgl'))")
    assert violations(page) == []
    labels = page.locator(SWITCH).all_inner_texts()  # some pages have none
    tables = 0
    sizes = cycle([NARROW, WIDE])
    for label in labels:
        open_section(page, label)
        assert_section_seen(page)
        resize(page, next(sizes))
        assert_section_seen(page)
        tables += tables_saved_by_us_alone(page)
    if not labels:
        tables = tables_saved_by_us_alone(page)
    assert bool(tables) == has_picture
    resize(page, NARROW)
    assert violations(page) == []
    darken(page)
    for size in (NARROW, WIDE):
        resize(page, size)
        if labels:  # opened by its address
            assert_section_seen(page)
        if size == NARROW:
            assert_fits_a_phone(page)
            scrolled = page.locator(MAIN).evaluate("main => main.scrollTop")
            assert not has_picture or box(page.locator(CHART))["y"] + scrolled < 790
        assert violations(page) == [], size
    if labels:  # test_home.py has Home
        assert_presented(page, path, labels)
    assert_drawn(page, complaints)


@pytest.mark.parametrize(
    "path", ["Input_Embeddings?tour=1", "Tokens?tour=2&guess2=true", "Tokens?tour=13", "Hall"]
)
def test_what_is_no_page_of_the_sidebar(page: Page, path: str) -> None:
    """The guess and the verdict of the tour, its end, a phone in a hall."""
    go(page, path)
    for size in (WIDE, NARROW):
        resize(page, size)
        assert violations(page) == [], size
    darken(page)
    for size in (NARROW, WIDE):
        resize(page, size)
        assert violations(page) == [], size


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in PAGES if path not in ("", "Methods")])
def test_every_section(page: Page, path: str) -> None:
    """Light and wide, then dark and on a phone; what is around a section has all four above."""
    go(page, path)
    for size in (WIDE, NARROW):
        resize(page, size)
        if size == NARROW:
            darken(page)
        for section in page.locator(SWITCH).all():
            if section.get_attribute("aria-checked") != "true":  # else a click closes it
                choose(page, section.inner_text())
            if (run := page.get_by_role("button", name="Run the model")).count():
                assert violations(page) == [], size
                run.click()
                settled(page)
            assert violations(page) == [], size
