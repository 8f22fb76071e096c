"""The tour in a real browser: forward with few clicks, by keys, Back, a slide."""

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from bertviz_core.ui.tour.stops import STOPS
from tests.live_app import field, follow, go, query, running_app, settled, visitor

CLAIM = ".st-key-tour-bar .bx-claim"
BAR = ".st-key-tour-bar"
FRAME = ".st-key-tour-frame"
IS_SEEN = """() => {
  const frame = document.querySelector(".st-key-tour-frame")?.getBoundingClientRect();
  const bar = document.querySelector(".st-key-tour-bar").getBoundingClientRect();
  const charts = [...document.querySelectorAll(".st-key-tour-frame .js-plotly-plot .main-svg")];
  return frame && charts.length && frame.top >= bar.bottom && frame.top - bar.bottom < 40
    && frame.bottom <= innerHeight;
}"""


def assert_at(page: Page, number: int, *, seen: bool = True) -> None:
    expect(page.locator(CLAIM)).to_have_text(f"{number} of {len(STOPS)}: {STOPS[number - 1].claim}")
    settled(page)
    expect(page.locator(f"{BAR} .bx-answer")).to_have_count(int(seen))


def guess(page: Page, *, by_keys: bool) -> None:
    """Give a number, or choose the first word."""
    number = page.get_by_placeholder("0 to 100")
    if not number.count():
        return page.locator("[class*=st-key-guess-] button").first.click()
    expect(number).to_have_value("")
    number.fill("90")
    mine = page.get_by_role("button", name="That is my guess")
    return mine.press("Enter") if by_keys else mine.click()


def walk(page: Page, count: int, *, by_keys: bool) -> None:
    """Start the tour on Home, and go by the first stops: what settles each is seen."""
    page.evaluate("window.isSamePage = true")
    page.locator(".st-key-tour-start button").click()
    for number, stop in enumerate(STOPS[:count], start=1):
        assert_at(page, number, seen=False)
        expect(page.locator(FRAME)).to_have_count(0)
        if stop.question:
            guess(page, by_keys=by_keys)
        else:
            page.locator(".st-key-guess-true button").click()
        assert_at(page, number)
        page.wait_for_function(IS_SEEN)
        expect(page.locator("[class*=st-key-guess-]")).to_have_count(0)
        page.locator(".st-key-tour-next button").click()


def test_presented_from_its_start_to_its_end(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    go(page, "?present=1")
    walk(page, len(STOPS), by_keys=True)
    expect(page.locator(BAR)).to_contain_text("guesses right")
    page.get_by_role("button", name="Back to Home").click()
    expect(page.locator("h1")).to_contain_text("See BERT")
    settled(page)
    assert query(page) == {"present": "1"}, "still in the look of the system"
    assert page.evaluate("window.isSamePage"), "nothing on the way loads a page anew"


def test_what_was_typed_is_on_home_after_some_stops(page: Page) -> None:
    go(page, "")
    field(page, "a").fill("my cat sleeps")  # no Enter: typed live
    expect(page.locator(".bx-token", has_text="sleeps")).to_be_visible()
    walk(page, 2, by_keys=False)
    assert_at(page, 3, seen=False)
    follow(page, "Home")
    expect(field(page, "a")).to_have_value("my cat sleeps")


def test_the_way_on_is_there_while_the_model_loads_and_the_guess_is_kept(
    browser: Browser, tmp_path: Path
) -> None:
    """On a server that has not loaded it yet: what was pressed meanwhile is done afterwards."""
    with running_app(HF_HUB_CACHE=str(tmp_path)) as address, visitor(browser, address) as context:
        page = context.new_page()
        go(page, "Input_Embeddings?tour=3")
        page.locator(".st-key-guess-true button").click()
        expect(page.get_by_text("Your guess is kept.")).to_be_visible()
        expect(page.locator("[class*=st-key-guess-]")).to_have_count(0)
        page.locator(".st-key-tour-next button").click()
        assert_at(page, 4, seen=False)
        assert query(page)["guess3"] == "true"


def test_keys_and_back(page: Page) -> None:
    """A clicker shows each verdict without a guess."""
    go(page, "Inside_the_Model?tour=10")
    for key, number, seen in (
        ("PageDown", 10, True),
        ("ArrowRight", 11, False),
        ("ArrowLeft", 10, True),
        ("PageDown", 11, False),
        ("PageDown", 11, True),
    ):
        page.keyboard.press(key)
        assert_at(page, number, seen=seen)
    page.go_back()
    expect(page).to_have_url(re.compile("tour=10"))
    assert_at(page, 10)
    page.reload()
    assert_at(page, 10)
    page.get_by_role("link", name="Inside the Model").last.click()
    expect(page.locator(".st-key-section [aria-checked=true]")).to_have_text("pooler")
