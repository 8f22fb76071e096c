"""The page on tokens in a real browser: a typed text, a typed word, a shared address."""

from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.live_app import CHART, field, fill, go, settled


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_typing_a_text_and_a_word(page: Page) -> None:
    go(page, "Tokens")
    expect(page.locator(".bx-token")).to_have_count(12)
    expect(page.locator(f"{CHART} .ytick text").nth(5)).to_have_text("6 awesome = 12476")
    expect(page.locator(f"{CHART} .xtick text").last).to_be_visible()
    fill(page, "a", "I am Sinan")
    expect(page.locator(".bx-finding").first).to_contain_text("6 tokens: 3 words")
    expect(page.locator(".bx-finding").last).to_contain_text("Sinan → sin ##an: 4 looks")
    chip = page.locator(".bx-token").nth(4)
    expect(chip).to_have_text("##an2319")
    expect(chip).to_have_attribute("title", "position 4, segment A, characters 8 to 10")
    field = page.locator(".st-key-follow input")
    field.click()
    field.fill("love🐍")
    field.press("Enter")
    settled(page)
    expect(page.locator(".bx-finding").last).to_contain_text("love🐍 → [UNK]")
    expect(page.locator(".bx-note")).to_contain_text("From 🐍 on, no piece")
    assert query(page) == {"a": ["I am Sinan"], "follow": ["love🐍"]}


def test_one_section_after_the_other(page: Page) -> None:
    go(page, "Tokens")
    for section, shown in (
        ("is it in the vocabulary?", "neither sinan nor ##sinan"),
        ("ids to text", "6 ids stand for"),
        ("two texts, two segments", "12 tokens are in segment A"),
        ("many lines", "6 lines of 7 to 18 tokens"),
        ("a word, step by step", "10 looks into the vocabulary"),
    ):
        page.locator(".st-key-closer").get_by_text(section, exact=True).click()
        settled(page)
        finding = page.locator(".bx-finding", has_text=shown)
        expect(finding).to_have_count(1)
        assert query(page).get("closer", ["a word, step by step"]) == [section]
    assert not page.locator(".bx-alert").count()


SHARED = {
    "step": {"a": "Crème at the café❤", "closer": "", "follow": "it's", "spell": "3 s"},
    "vocabulary": {"closer": "is it in the vocabulary?", "lookup": "##an"},
    "ids": {"closer": "ids to text", "ids": "[101, 7632, 102]"},
    "segments": {"a": "one [SEP] two", "b": "three", "closer": "two texts, two segments"},
    "lines": {"closer": "many lines", "lines": "one dog\nawesomesauce 🐍"},
}
FINDINGS = {
    "step": "it's → it ' s: split at blanks and signs into 3 words",
    "vocabulary": "##an is row 2319 and continues one",
    "ids": "3 ids stand for [CLS] hi [SEP]",
    "segments": "2 of them in a segment that has no row",
    "lines": "2 lines of 4 to 6 tokens",
}


@pytest.mark.parametrize("view", SHARED)
def test_a_shared_address_restores_the_page(page: Page, view: str) -> None:
    inputs = {key: text for key, text in SHARED[view].items() if text}
    go(page, "Tokens?" + "&".join(f"{key}={quote(text)}" for key, text in inputs.items()))
    expect(page.locator(".bx-finding", has_text=FINDINGS[view])).to_have_count(1)
    assert query(page) == {key: [text] for key, text in inputs.items()}
    for key, text in inputs.items():
        if page.locator(f".st-key-{key} input[type=text], .st-key-{key} textarea").count():
            expect(field(page, key)).to_have_value(text)


def test_a_wrong_id_is_a_sentence(page: Page) -> None:
    go(page, "Tokens?closer=" + quote("ids to text"))
    fill(page, "ids", "101 99999")
    expect(page.locator(".bx-alert")).to_contain_text("99999 is no row of the token table")
    expect(page.locator(".bx-token")).to_have_count(12)
    fill(page, "ids", "101 102")
    expect(page.locator(".bx-alert")).to_have_count(0)


def test_a_sentence_is_carried_to_the_next_page(page: Page) -> None:
    go(page, "Tokens")
    fill(page, "a", "the cat sat")
    page.get_by_role("link", name="Input Embeddings", exact=True).click()
    settled(page)
    expect(field(page, "a")).to_have_value("the cat sat")
    expect(page.locator(f"{CHART} .ytick text").nth(2)).to_have_text("2 cat")
