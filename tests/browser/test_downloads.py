"""What can be taken from a page: only files of the app's own, which no spreadsheet runs."""

import pytest
from playwright.sync_api import Page

from tests.live_app import PAGES, choose, go, settled

TABLE = '[data-testid="stDataFrame"]'
FOLDED = '[class*="-numbers"] details:not([open]) > summary'
# What a table's toolbar offers, up to the table's name, and whatever else saves a file.
OFFERED = """() => [...document.querySelectorAll('[data-testid="stElementToolbar"] button')]
  .map((button) => button.ariaLabel.split(":")[0])"""
SAVES = """() => [...document.querySelectorAll("a[download], button, [role=menuitem]")]
  .filter((one) => /download|export|csv/i.test(`${one.ariaLabel} ${one.textContent}`))
  .filter((one) => !one.closest('.modebar, [class*="st-key-csv_"]'))
  .map((one) => one.outerHTML)"""


def tables_unfolded(page: Page) -> int:
    """Open every table that is folded; how many there are."""
    while page.locator(FOLDED).count():
        page.locator(FOLDED).first.click()
        settled(page)
    return page.locator(TABLE).count()


@pytest.mark.parametrize("path", [path for path in PAGES if path != "Methods"])
def test_a_table_is_saved_by_our_file_alone(page: Page, path: str) -> None:
    go(page, path)
    tables = 0
    for label in ["", *page.locator(".st-key-section [role=radio]").all_inner_texts()]:
        if label:
            choose(page, label)
        if found := tables_unfolded(page):
            tables += found
            offered = set(page.evaluate(OFFERED))
            assert offered >= {"Search"}, "toolbars are there"
            assert offered <= {"Search", "Fullscreen", "Show/hide columns"}, label
            assert page.evaluate(SAVES) == [], label
    assert tables
