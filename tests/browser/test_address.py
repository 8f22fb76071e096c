"""Inputs and the address: typing writes it, a shared one and Back restore them."""

import re
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.live_app import CHART, choose, field, fill, follow, go, query, rows, settled, value

NUMBERS = "a token's numbers"


def test_typing_changes_charts_and_address(page: Page) -> None:
    go(page, "Input_Embeddings")
    expect(rows(page)).to_have_text(
        ["0 [CLS]", "1 i", "2 love", "3 my", "4 pet", "5 python", "6 [SEP]"]
    )
    assert urlsplit(page.url).query == ""
    fill(page, "a", "Sinan loves a beautiful day")
    expect(rows(page).nth(2)).to_have_text("2 ##an")
    expect(page.locator(f"{CHART} .hm image")).to_have_count(5)
    expect(page.locator(".bx-token").nth(1)).to_have_text("sin8254")
    assert urlsplit(page.url).query == "a=Sinan+loves+a+beautiful+day"


def test_a_word_that_is_not_among_the_options(page: Page) -> None:
    go(page, "Tokens?a=I+am+Sinan")
    page.locator(".bx-options summary").click()
    typed = field(page, "follow")
    typed.click()
    typed.fill("love🐍")
    typed.press("Enter")
    expect(value(page, "followed_word")).to_have_text("love🐍")
    settled(page)
    assert query(page) == {"a": "I am Sinan", "follow": "love🐍"}


SHARED = {
    "Tokens": {
        "a": "Crème at the café❤",
        "b": "one [SEP] two",
        "closer": "ids to text",
        "ids": "[101, 7632, 102]",
    },
    "Input_Embeddings": {
        "a": "I am Sinan",
        "b": "She is Zoe",
        "dims": "most variable",
        "variable": "20",
        "scale": "one for all",
        "section": "one dimension",
        "dim": "99",
    },
    "Nearest_Neighbors": {
        "q": "##ing",
        "q2": "king - man + woman",
        "metric": "Euclidean",
        "keep": "subwords",
        "k": "15",
        "unused": "true",
        "own": "true",
    },
    "Word_in_Context": {
        "s": "A [bat] flew\nHe swung the [bat]",
        "anchors": "animal",
        "pooling": "max",
        "layer": "2",
        "deeper": "pieces and pooling",
    },
    "Word_Senses": {
        "from": "my own lines",
        "senseword": "seal",
        "lines": "A [seal] barked\nthe wax seal broke\na seal swam\n<img src=x> seal",
        "layer": "3",
        "near": "2",
    },
    "Positions_and_Segments": {
        "section": "experiments",
        "change": "shift",
        "shift": "200",
        "xa": "A snake eats a mouse",
        "xb": "Why?",
    },
    "Inside_the_Model": {
        "section": "one tensor",
        "tensor": "embeddings.position_embeddings.weight",
        "heights": "linear",
    },
}


@pytest.mark.parametrize("path", SHARED)
def test_a_shared_address_restores_the_page(page: Page, path: str) -> None:
    go(page, f"{path}?{urlencode(SHARED[path])}")
    expect(page.locator(f"{CHART}, .bx-finding").first).to_be_visible(timeout=60_000)
    settled(page)
    assert query(page) == SHARED[path]
    for key, text in SHARED[path].items():
        slot = page.locator(f".st-key-{key}")
        checked, inputs = slot.locator('[aria-checked="true"]'), slot.locator("input, textarea")
        if text == "true":
            expect(slot.locator("input[type=checkbox]")).to_be_checked()
        elif checked.count():
            expect(checked).to_have_text(text)
        else:
            expect(inputs.first).to_have_value(text)


def test_wrong_input_is_a_sentence_until_it_is_mended(page: Page) -> None:
    go(page, "Tokens?" + urlencode({"closer": "ids to text", "ids": "101 99999", "spell": "9 x"}))
    expect(page.locator(".bx-alert")).to_contain_text("99999")
    expect(page.locator(".bx-token")).to_have_count(12)
    fill(page, "ids", "101 102")
    expect(page.locator(".bx-alert")).to_have_count(0)
    go(page, "Input_Embeddings?dims=nonsense&section=nothing&token=999")
    expect(page.locator(CHART)).to_have_count(1)
    assert query(page).keys() <= {"token"}


def test_a_section_and_its_fields_are_shared(page: Page) -> None:
    go(page, "Input_Embeddings")
    choose(page, NUMBERS)
    expect(page.locator(CHART)).to_have_count(6)
    page.locator(".bx-token").nth(2).click()
    expect(page).to_have_url(re.compile("token=2"))
    field(page, "dim").fill("99")
    field(page, "dim").press("Enter")
    expect(page).to_have_url(re.compile("dim=99"))
    page.reload()
    expect(value(page, "dimension").first).to_have_text("99")
    assert query(page) == {"section": NUMBERS, "token": "2", "dim": "99"}
    # Both sections have the field: it stays tied to the address from one to the other.
    choose(page, "one dimension")
    fill(page, "dim", "6")
    expect(page).to_have_url(re.compile("dim=6"))
    choose(page, NUMBERS)
    fill(page, "dim", "7")
    expect(page).to_have_url(re.compile("dim=7"))


def test_back_returns_to_what_was_typed(page: Page) -> None:
    go(page, "")
    follow(page, "Input Embeddings")
    fill(page, "a", "the cat sat")
    typed = page.url
    follow(page, "Nearest Neighbors")
    fill(page, "q", "dog")
    searched = page.url
    page.go_back()
    settled(page)
    assert page.url == typed
    expect(field(page, "a")).to_have_value("the cat sat")
    expect(rows(page).nth(2)).to_have_text("2 cat")
    page.go_forward()
    settled(page)
    assert page.url == searched
    expect(field(page, "q")).to_have_value("dog")
    page.go_back()
    page.go_back()
    settled(page)
    assert urlsplit(page.url).path == "/"
    expect(page.locator("h1")).to_contain_text("See BERT")


def test_back_to_a_page_that_shares_a_field(page: Page) -> None:
    go(page, "Input_Embeddings?section=one+dimension&dim=5")
    fill(page, "a", "the cat sat")
    entries = page.evaluate("history.length")
    follow(page, "Tokens")
    expect(field(page, "a")).to_have_value("the cat sat")
    fill(page, "a", "I am here")
    expect(page).to_have_url(re.compile("a=I"))
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    expect(field(page, "dim")).to_have_value("5")
    expect(field(page, "a")).to_have_value("the cat sat")
    settled(page)
    assert query(page) == {"a": "the cat sat", "section": "one dimension", "dim": "5"}
    page.go_forward()
    expect(field(page, "a")).to_have_value("I am here")


def test_inputs_go_from_page_to_page(page: Page) -> None:
    go(page, "Tokens")
    fill(page, "a", "the cat sat")
    for link in ("Input Embeddings", "Home", "Tokens"):
        follow(page, link)
        if link != "Home":
            expect(field(page, "a")).to_have_value("the cat sat")
            assert query(page) == {"a": "the cat sat"}


def test_a_prepared_link_wins_over_what_stands_there(page: Page) -> None:
    go(page, "Nearest_Neighbors?q=cat&metric=dot")
    page.get_by_role("link", name="dog", exact=True).click()
    page.wait_for_url("**/Nearest_Neighbors?q=dog")
    settled(page)
    expect(field(page, "q")).to_have_value("dog")
    expect(rows(page).first).to_have_text("dog")  # the query itself, then "dogs"
    expect(rows(page).nth(1)).to_have_text("dogs")
    page.go_back()
    settled(page)
    expect(field(page, "q")).to_have_value("cat")
    assert query(page) == {"q": "cat", "metric": "dot"}


def test_an_opened_fold_is_shared(page: Page) -> None:
    go(page, "Nearest_Neighbors?q=dog")
    page.locator('[class*="st-key-code-"] summary').first.click()
    expect(page).to_have_url(re.compile("code-[a-z0-9-]+=true"))
    page.reload()
    expect(page.get_by_test_id("stCode").first).to_be_visible()
