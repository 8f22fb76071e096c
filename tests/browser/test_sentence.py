"""One sentence through the whole app: it is followed while typed, and from page to page."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.live_app import chips, field, fill, follow, go, query, settled

TYPED = "the old bank of the river"


def chip(page: Page, token: str) -> Locator:
    return page.locator(".bx-token", has_text=token).first


def test_the_page_follows_a_pause_in_typing(page: Page) -> None:
    go(page, "Input_Embeddings")
    entries = page.evaluate("history.length")
    typed = field(page, "a")
    typed.fill("")
    typed.press_sequentially("the cat", delay=120)  # slower than some runs, quicker than others
    typed.press_sequentially(" sat there", delay=5)
    expect(chips(page).nth(4)).to_contain_text("there")
    expect(typed).to_be_focused()
    typed.press_sequentially("!", delay=400)  # the pause before it has made a run
    typed.press_sequentially(" yes", delay=400)
    expect(page.locator(".bx-token")).to_have_count(8)
    settled(page)
    expect(typed).to_be_focused()
    expect(typed).to_have_value("the cat sat there! yes")
    assert query(page) == {"a": "the cat sat there! yes"}
    assert page.evaluate("history.length") == entries


def test_a_tapped_chip_chooses_its_token(page: Page) -> None:
    go(page, "Input_Embeddings?a=I+love+my+pet+python")
    expect(chip(page, "python")).to_have_attribute("aria-selected", "true")
    chip(page, "love").click()
    expect(page.locator(".ytick", has_text="love").first.locator("[style*=bold]")).to_have_count(1)
    expect(chip(page, "love")).to_have_attribute("aria-selected", "true")
    settled(page)
    assert query(page) == {"token": "2"}
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(chip(page, "pet")).to_have_attribute("aria-selected", "true")
    expect(chip(page, "pet")).to_be_focused()


def test_the_sentence_follows_from_page_to_page(page: Page) -> None:
    go(page, "")
    fill(page, "a", TYPED)
    expect(page.get_by_role("option", name="river", exact=True)).to_be_visible()
    follow(page, "Nearest Neighbors")
    follow(page, "dog")  # a prepared view: the page is loaded anew
    assert query(page) == {"q": "dog", "a": TYPED, "a2": "I love coding in python"}
    follow(page, "Tokens")
    expect(field(page, "a")).to_have_value(TYPED)
    settled(page)
    assert query(page) == {"a": TYPED}
    fill(page, "a", "the new bank")
    follow(page, "Sentence Vectors")  # above the example, so that it is compared
    expect(field(page, "a")).to_have_value("the new bank")
    expect(field(page, "others")).to_have_value(re.compile(".+"))
    follow(page, "Word in Context")  # where the second example is not compared with it
    expect(field(page, "a")).to_have_value("the new bank")
    expect(field(page, "a2")).to_have_value("")
    settled(page)
    assert query(page) == {"a": "the new bank", "a2": ""}
    follow(page, "Tokens")
    follow(page, "a pair")  # the sentence of a prepared view is the sentence from there on
    expect(field(page, "a")).to_have_value("I am Sinan")
    follow(page, "Home")
    expect(field(page, "a")).to_have_value("I am Sinan")
