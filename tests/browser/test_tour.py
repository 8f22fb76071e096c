"""The tour in a real browser: arrow keys, the way to a view and on from it, large type."""

import re

import pytest
from playwright.sync_api import Page, expect

from bertviz_core.ui.tour.stops import STOPS
from tests.live_app import go, settled

CLAIM = ".bx-claim"


def test_arrow_keys_walk_the_stops(page: Page) -> None:
    go(page, "")
    for stop in STOPS[:3]:
        expect(page.locator(CLAIM)).to_have_text(stop.claim)
        settled(page)
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("stop=4"))
    go(page, "?stop=11")
    for stop in STOPS[10:]:
        expect(page.locator(CLAIM)).to_have_text(stop.claim)
        settled(page)
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("stop=12"))
    page.keyboard.press("ArrowLeft")
    expect(page.locator(CLAIM)).to_have_text(STOPS[10].claim)


@pytest.mark.parametrize("number", [1, 4, 9, 12])
def test_from_a_stop_to_its_view_and_on(page: Page, number: int) -> None:
    """The first, the last and two between; test_tour.py looks into the views of all."""
    go(page, f"?stop={number}")
    page.locator(".bx-action").click()
    expect(page).to_have_url(re.compile(STOPS[number - 1].page))
    settled(page)
    run = page.locator('[data-testid="stBaseButton-primary"]')
    if run.count():  # what needs the encoder waits for one click on a cold server
        run.first.click()
        settled(page)
    expect(page.locator(".bx-finding").first).to_be_visible()
    assert page.locator(".bx-alert").count() == 0
    expect(page.locator(".st-key-tour-bar")).to_contain_text(STOPS[number - 1].claim)
    if number < len(STOPS):
        page.keyboard.press("ArrowRight")
        expect(page.locator(CLAIM)).to_have_text(STOPS[number].claim)
        expect(page).to_have_url(re.compile(rf"stop={number + 1}\b"))
    else:
        page.get_by_role("link", name="Back to the stop").click()
        expect(page.locator(CLAIM)).to_have_text(STOPS[number - 1].claim)


def test_a_guess_shows_the_verdict_and_stays(page: Page) -> None:
    go(page, "?stop=4")
    page.locator(".st-key-guess4 button").last.click()
    settled(page)
    page.get_by_text("What the view settles").click()
    expect(page.locator("body")).to_contain_text("no rotation of the table")
    expect(page).to_have_url(re.compile("guess4=false"))


def test_large_type_stays_from_page_to_page(page: Page) -> None:
    go(page, "?present=1")
    size = page.evaluate("getComputedStyle(document.documentElement).fontSize")
    assert size == "22px"
    page.locator(".bx-card").first.click()
    settled(page)
    assert "present=1" in page.url
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "22px"
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth")
