"""The page on positions and segments in a real browser."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.live_app import CHART, fill, go, settled

PATH = "Positions_and_Segments"


def show_experiment(page: Page) -> None:
    """Start the model where no earlier test of this server has."""
    started = page.locator(".st-key-run_change button, .bx-finding:has-text('moves the tokens')")
    expect(started.first).to_be_visible()
    if page.locator(".st-key-run_change button").count():
        page.locator(".st-key-run_change button").click()
    expect(page.locator(".bx-finding").first).to_contain_text("moves the tokens", timeout=60_000)


def test_the_matrix_is_a_picture_and_a_slider_moves_its_frame(page: Page) -> None:
    go(page, PATH)
    expect(page.locator(".bx-finding").first).to_contain_text("Positions 100 and 110")
    expect(page.locator(f"{CHART} .im image")).to_have_count(1)
    expect(page.locator(f"{CHART} .hm image")).to_have_count(1)
    page.locator(".st-key-row input[type=range]").press("ArrowRight")
    expect(page.locator(".bx-finding").first).to_contain_text("Positions 101 and 110")
    expect(page.get_by_text("The frame: positions 69 to 132 with 78 to 141")).to_be_visible()
    assert "row=101" in page.url


def test_the_answer_on_sinusoids_by_a_prepared_link(page: Page) -> None:
    go(page, PATH)
    page.get_by_role("link", name="are they sinusoids?", exact=True).click()
    page.wait_for_url("**/Positions_and_Segments?part=against+sinusoids")
    settled(page)
    expect(page.locator(".bx-finding").first).to_contain_text("sinusoids? No, but", timeout=60_000)
    expect(page.locator(f"{CHART} .im image")).to_have_count(4)


def test_a_position_two_parts_share_stays_in_the_address(page: Page) -> None:
    go(page, PATH)
    for part, row in (("against sinusoids", 101), ("position table", 102)):
        page.get_by_role("radio", name=part).click()
        expect(page.get_by_role("radio", name=part)).to_be_checked()
        settled(page)
        page.locator(".st-key-row input[type=range]").press("ArrowRight")
        expect(page).to_have_url(re.compile(f"row={row}"))


def test_shuffling_a_sentence_of_ones_own(page: Page) -> None:
    go(page, f"{PATH}?part=experiments")
    show_experiment(page)
    fill(page, "xa", "The cat chased the mouse")
    fill(page, "xb", "")
    expect(page.locator(f"{CHART} .ytick text").nth(2)).to_have_text("2 cat")
    expect(page.get_by_text("By position now: [CLS]")).to_be_visible()
    expect(page.locator(CHART)).to_have_count(2)


def test_a_shared_experiment_is_restored(page: Page) -> None:
    query = "part=experiments&change=shift&shift=200&order=3&xa=A+snake+eats+a+mouse&xb=Why%3F"
    seen = []
    for _ in range(2):
        go(page, f"{PATH}?{query}")
        show_experiment(page)
        for key, text in (("xa", "A snake eats a mouse"), ("xb", "Why?")):
            expect(page.locator(f".st-key-{key} input")).to_have_value(text)
        expect(page.locator(".bx-finding").first).to_contain_text("Shifting all positions by 200")
        query = urlsplit(page.url).query
        seen.append((parse_qs(query), page.locator(".bx-finding").first.inner_text()))
    assert seen[0] == seen[1]
    assert seen[0][0] == {
        "part": ["experiments"],
        "change": ["shift"],
        "shift": ["200"],
        "order": ["3"],
        "xa": ["A snake eats a mouse"],
        "xb": ["Why?"],
    }
