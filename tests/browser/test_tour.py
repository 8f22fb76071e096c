"""The tour in a real browser: arrow keys, the way to a view and on from it, a guess."""

import re

import pytest
from playwright.sync_api import Page, expect

from bertviz_core.ui.tour.stops import STOPS
from tests.live_app import follow, go, query, settled

CLAIM = ".bx-claim"


def test_arrow_keys_walk_the_stops(page: Page) -> None:
    go(page, "?stop=10")
    for stop in STOPS[9:]:
        expect(page.locator(CLAIM)).to_have_text(stop.claim)
        settled(page)
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("stop=12"))
    page.keyboard.press("ArrowLeft")
    expect(page.locator(CLAIM)).to_have_text(STOPS[10].claim)


@pytest.mark.parametrize("number", [4, 12])
def test_from_a_stop_to_its_view_and_on(page: Page, number: int) -> None:
    """One between and the last; tests/ui/test_tour.py looks into the views of all."""
    stop = STOPS[number - 1]
    go(page, f"?stop={number}")
    page.locator(".bx-action").click()
    expect(page).to_have_url(re.compile(stop.page))
    settled(page)
    expect(page.locator(".st-key-tour-bar")).to_contain_text(stop.claim)
    assert page.locator(".bx-alert").count() == 0
    if number < len(STOPS):
        page.keyboard.press("ArrowRight")
        expect(page.locator(CLAIM)).to_have_text(STOPS[number].claim)
        expect(page).to_have_url(re.compile(rf"stop={number + 1}\b"))
    else:
        follow(page, "Back to the stop")
        expect(page.locator(CLAIM)).to_have_text(stop.claim)


def test_a_guess_stays_in_the_address(page: Page) -> None:
    go(page, "?stop=4")
    page.locator(".st-key-guess4 button").last.click()
    expect(page).to_have_url(re.compile("guess4=false"))
    settled(page)
    assert query(page) == {"stop": "4", "guess4": "false"}
