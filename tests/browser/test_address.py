"""Inputs and the address: typing writes it, a shared one and Back restore them."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.live_app import CHART, chips, choose, field, fill, follow, go, query, settled, value

NUMBERS = "what LayerNorm does"


SHARED = (  # with every kind of field
    "Nearest_Neighbors?q=%23%23ing&q2=king+-+man+%2B+woman&metric=Euclidean&keep=subwords&k=15",
    "Word_in_Context?a=Such+awesomesauce&a2=We+ate+awesomesauce&pooling=max&layer=2&section=which+context+word+did+it%3F",
)


@pytest.mark.parametrize("path", SHARED)
def test_a_shared_address_restores_the_page(page: Page, path: str) -> None:
    go(page, path)
    expect(page.locator(f"{CHART}, .bx-finding").first).to_be_visible(timeout=60_000)
    settled(page)
    asked = dict(parse_qsl(urlsplit(path).query))
    assert query(page) == asked
    for key, text in asked.items():
        slot = page.locator(f".st-key-{key}")
        checked, inputs = slot.locator('[aria-checked="true"]'), slot.locator("input, textarea")
        if text == "true":
            expect(slot.locator("input[type=checkbox]")).to_be_checked()
        elif checked.count():
            expect(checked).to_have_text(text)
        else:
            expect(inputs.first).to_have_value(text)


def test_a_section_and_its_fields_are_shared(page: Page) -> None:
    go(page, "Input_Embeddings")
    choose(page, NUMBERS)
    expect(page.locator(CHART)).to_have_count(2)
    page.locator(".bx-token").nth(2).click()
    expect(page).to_have_url(re.compile("token=2"))
    field(page, "dim").fill("99")
    field(page, "dim").press("Enter")
    expect(page).to_have_url(re.compile("dim=99"))
    page.reload()
    expect(value(page, "dimension").first).to_have_text("99")
    assert query(page) == {"section": NUMBERS, "token": "2", "dim": "99"}
    # Back in its section the field is still tied to the address.
    choose(page, "the proof")
    choose(page, NUMBERS)
    fill(page, "dim", "7")
    expect(page).to_have_url(re.compile("dim=7"))


def test_back_and_forward_restore_what_was_typed(page: Page) -> None:
    """Also on pages that share a field."""
    go(page, "Input_Embeddings?section=what+LayerNorm+does&dim=5")
    fill(page, "a", "the cat sat")
    entries = page.evaluate("history.length")
    follow(page, "Tokens")
    expect(field(page, "a")).to_have_value("the cat sat")
    fill(page, "a", "I am here")
    expect(page).to_have_url(re.compile("a=I"))
    assert page.evaluate("history.length") == entries + 1
    follow(page, "Nearest Neighbors")
    fill(page, "q", "dog")
    searched = page.url
    page.go_back()
    expect(field(page, "a")).to_have_value("I am here")
    page.go_back()
    expect(field(page, "dim")).to_have_value("5")
    expect(field(page, "a")).to_have_value("the cat sat")
    expect(chips(page).nth(2)).to_contain_text("cat")
    settled(page)
    assert query(page) == {"a": "the cat sat", "section": NUMBERS, "dim": "5"}
    page.go_forward()
    expect(field(page, "a")).to_have_value("I am here")
    page.go_forward()
    settled(page)
    assert page.url == searched
    expect(field(page, "q")).to_have_value("dog")


def test_an_opened_fold_is_shared(page: Page) -> None:
    go(page, "Nearest_Neighbors?q=dog")
    page.locator('[class*="st-key-code-"] summary').first.click()
    expect(page).to_have_url(re.compile("code-[a-z0-9-]+=true"))
    page.reload()
    expect(page.get_by_test_id("stCode").first).to_be_visible()


def test_a_section_stays_open_on_the_way_to_another_page_and_back(page: Page) -> None:
    go(page, "Positions_and_Segments")
    choose(page, "experiments")
    follow(page, "Tokens")
    opened = page.locator(".st-key-section [aria-checked=true]")
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
