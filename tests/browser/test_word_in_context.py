"""Word in Context and Nearest Neighbors in a real browser: the ruler and the closer looks."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.live_app import CHART, go, settled


def finding(page: Page, text: str):
    return page.locator(".bx-finding", has_text=text)


def test_the_ruler_comes_by_one_click_or_by_itself(page: Page) -> None:
    go(page, "Word_in_Context")
    expect(finding(page, "nearest to snake (0.507")).to_be_visible(timeout=60_000)
    # Another test of this server may have loaded the encoder: then it is measured by itself.
    if page.locator(".st-key-measure button").count():
        page.locator(".st-key-measure button").click()
    expect(finding(page, "nearest to snake (0.507, higher than 99")).to_be_visible(timeout=120_000)
    expect(finding(page, "of unrelated pairs; programming 0.257, higher than")).to_be_visible()
    page.get_by_role("radio", name="the ruler").click()
    expect(finding(page, "have similarity 0.507")).to_contain_text("higher than 99")
    expect(page.locator(CHART)).to_have_count(11)
    settled(page)
    assert "deeper=the+ruler" in page.url


def test_which_context_word_and_sharing_it(page: Page) -> None:
    go(page, "Word_in_Context")
    expect(page.locator(CHART)).to_have_count(4, timeout=60_000)
    page.get_by_role("radio", name="which context word did it?").click()
    expect(finding(page, "With pet masked it is")).to_be_visible(timeout=60_000)
    expect(page.locator(CHART)).to_have_count(6)
    page.get_by_role("radio", name="drop it").click()
    expect(finding(page, "With pet dropped it is")).to_be_visible()
    labels = page.locator(f"{CHART} .xtick text", has_text="python")
    expect(labels.first).to_be_visible()
    settled(page)
    assert "without=drop+it" in page.url
    page.reload()
    expect(finding(page, "With pet dropped it is")).to_be_visible(timeout=60_000)


@pytest.mark.parametrize(
    ("look", "said"),
    [
        ("what does it look like now?", "is nearest to the row of"),
        ("neighbours in context", "the token nearest to"),
        ("pieces and pooling", "The 2 occurrences of"),
    ],
)
def test_a_shared_look(page: Page, look: str, said: str) -> None:
    go(page, "Word_in_Context?" + urlencode({"deeper": look, "layer": "3"}))
    expect(finding(page, said)).to_be_visible(timeout=60_000)
    assert page.locator(".bx-alert").count() == 0


def test_a_word_two_looks_share_stays_in_the_address(page: Page) -> None:
    go(page, "Word_in_Context?" + urlencode({"deeper": "which context word did it?"}))
    # The first word is the default, which the address leaves out.
    first, second = "^((?!target).)*$", "target="
    looks = (("what does it look like now?", 1, second), ("neighbours in context", 0, first))
    for look, word, address in looks:
        page.get_by_role("radio", name=look).click()
        expect(page.get_by_role("radio", name=look)).to_be_checked()
        settled(page)
        page.locator(".st-key-target input").click()
        page.get_by_role("option").nth(word).click()
        expect(page).to_have_url(re.compile(address))


def test_the_tables_ruler(page: Page) -> None:
    go(page, "Nearest_Neighbors?q=dog")
    expect(page.locator(".bx-finding")).to_contain_text("pairs of random rows")
    expect(page.locator(CHART)).to_have_count(2)
    page.get_by_text("What a cosine in this table is worth").click()
    expect(page.locator(CHART)).to_have_count(4)
    settled(page)
    assert "worth=true" in page.url
