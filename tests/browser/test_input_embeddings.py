"""The closer looks in a real browser: choose one, share it, change its token and dimension."""

import re
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from tests.live_app import CHART, go, settled


def finding(page: Page, text: str):
    return page.locator(".bx-finding", has_text=text)


def test_choosing_a_look_and_sharing_it(page: Page) -> None:
    go(page, "Input_Embeddings")
    expect(page.locator(CHART)).to_have_count(1)
    page.get_by_role("radio", name="whose vector is it").click()
    expect(finding(page, "the token embedding makes")).to_contain_text("78%")
    expect(page.locator(CHART)).to_have_count(6)
    expect(page).to_have_url(re.compile("look=whose.vector.is.it"))
    slider = page.locator(".st-key-token input[type=range]")
    slider.press("ArrowRight")
    expect(finding(page, "dimension 267")).to_contain_text("2 love")
    expect(page).to_have_url(re.compile("token=2"))
    page.locator(".st-key-dim input").fill("99")
    page.locator(".st-key-dim input").press("Enter")
    expect(finding(page, "dimension 99")).to_contain_text("2 love")
    expect(page).to_have_url(re.compile("dim=99"))
    page.reload()
    expect(finding(page, "dimension 99")).to_contain_text("2 love")


def test_a_field_two_looks_share_stays_in_the_address(page: Page) -> None:
    go(page, "Input_Embeddings?look=one+dimension")
    for look, number in (("whose vector is it", "5"), ("one dimension", "6")):
        page.get_by_role("radio", name=look).click()
        expect(page.get_by_role("radio", name=look)).to_be_checked()
        settled(page)
        page.locator(".st-key-dim input").fill(number)
        page.locator(".st-key-dim input").press("Enter")
        expect(finding(page, f"dimension {number}")).to_be_visible()
        expect(page).to_have_url(re.compile(f"dim={number}"))


def test_two_sentences_by_the_prepared_link(page: Page) -> None:
    go(page, "Input_Embeddings?" + urlencode({"look": "two sentences, row by row"}))
    page.get_by_role("link", name="I am Sinan / She is Zoe").click()
    expect(finding(page, "The token rows of")).to_contain_text("[SEP] (A 5, B 4)")
    expect(page.locator(CHART)).to_have_count(3)
    labels = page.locator(f"{CHART} .ytick text, {CHART} .y2tick text, {CHART} .y3tick text")
    expect(labels.filter(has_text=re.compile("^3 sin − zoe$"))).to_have_count(3)


def test_order_and_dropout(page: Page) -> None:
    go(page, "Input_Embeddings?look=order+and+dropout&draws=4")
    start = page.locator(".st-key-orders button, .bx-finding:has-text('library')")
    expect(start.first).to_be_visible()
    # Another test of this server may have loaded the encoder: then the results are there.
    if page.locator(".st-key-orders button").count():
        page.locator(".st-key-orders button").click()
    expect(finding(page, "Of the six orders 2 do")).to_be_visible(timeout=60_000)
    expect(finding(page, "Two runs in eval mode")).to_contain_text("mean over 4 runs")
    expect(page.locator(f"{CHART} .bartext").first).to_have_text("0, bit for bit")


def test_one_dimension_by_a_link(page: Page) -> None:
    go(page, "Input_Embeddings?a=the+cat&look=one+dimension")
    expect(finding(page, "In dimension 267")).to_contain_text("Highest is [SEP]")
    page.get_by_role("link", name="99, an outlier").click()
    expect(finding(page, "In dimension 99")).to_be_visible()
    assert "a=the+cat" in page.url
    expect(page.locator(CHART)).to_have_count(4)


def test_nothing_scrolls_sideways_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    go(page, "Input_Embeddings?b=She+is+Zoe")
    for look in ("whose vector is it", "two sentences, row by row", "one dimension"):
        page.get_by_role("radio", name=look).click()
        settled(page)
        expect(page.locator(CHART).nth(1)).to_be_attached()
        main = page.locator('[data-testid="stMain"]')
        assert main.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
