"""What is seen: headings, large type, light and dark, and paper."""

import re

from playwright.sync_api import Page, expect

from tests.live_app import CHART, go, query, settled

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(18, 22, 29)"


def expect_ground(page: Page, color: str) -> None:
    """Wait until the page has this background; a look that is chosen loads it anew."""
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", color)


def test_a_question_mark_opens_its_own_entry(page: Page) -> None:
    go(page, "Nearest_Neighbors?q=dog")
    with page.expect_popup() as opened:
        page.locator("a.bx-method").first.click()
    entries = opened.value.get_by_test_id("stMain").get_by_test_id("stExpander")
    expect(entries).to_have_count(1)
    expect(entries).to_contain_text("Nearest Neighbors · ")
    expect(entries.locator("p").nth(1)).to_be_in_viewport()


def test_presenter_mode_stays_from_page_to_page_in_the_look_that_was_chosen(page: Page) -> None:
    size = "getComputedStyle(document.documentElement).fontSize"
    go(page, "?present=1")
    assert page.evaluate(size) == "22px"
    expect_ground(page, LIGHT)  # as the system has it
    go(page, "Nearest_Neighbors?q=dog&present=dark")
    expect_ground(page, DARK)
    assert page.evaluate("localStorage.getItem('bertviz-look')") == "Dark"
    settled(page)
    expect(page.locator(f"{CHART} .ytick text").first).to_have_css("font-size", "18px")
    assert page.locator("[class*='st-key-code-'], [data-testid='stDataFrame']").count() == 0
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_role("link", name="Home", exact=True).click()
    expect(page.locator("h1")).to_contain_text("See BERT")
    expect(page).to_have_url(re.compile("present=dark"))
    settled(page)
    expect_ground(page, DARK)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth")
    page.locator(".st-key-presenting").get_by_text("off").click()
    expect_ground(page, LIGHT)
    settled(page)
    assert page.evaluate("localStorage.getItem('bertviz-look')") == "System"
    assert "present" not in query(page)


def test_printed_it_is_dark_on_white_without_sidebar_and_controls(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    go(page, "Nearest_Neighbors?q=dog")
    label = page.locator(f"{CHART} .ytick text").first
    expect(label).to_be_visible(timeout=60_000)
    page.emulate_media(media="print", color_scheme="dark")
    try:
        expect_ground(page, LIGHT)
        expect(label).to_have_css("fill", "rgb(28, 35, 48)")  # waits: Plotly draws labels anew
        for part in (
            '[data-testid="stSidebar"]',
            ".modebar-container",
            ".st-key-panel-query input",
        ):
            for found in page.locator(part).all():
                expect(found).to_be_hidden()
    finally:
        page.emulate_media(media="screen")
