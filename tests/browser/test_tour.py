"""The tour in a real browser: keys, the way to a view and on from it, Back, a slide."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from bertviz_core.ui.tour.stops import STOPS
from tests.live_app import follow, go, query, settled

CLAIM = ".st-key-tour .bx-claim"
BAR = ".st-key-tour-bar"


def test_keys_walk_the_stops_at_every_moment(page: Page) -> None:
    """Arrow keys and a clicker's, also while an answer has the focus; a field keeps its own."""
    go(page, "?stop=10")
    page.locator(".st-key-guess-false button").click()
    expect(page).to_have_url(re.compile("guess10=false"))
    for key, number in (("PageDown", 11), ("ArrowRight", 12), ("PageUp", 11), ("ArrowLeft", 10)):
        settled(page)
        page.keyboard.press(key)
        expect(page.locator(CLAIM)).to_have_text(STOPS[number - 1].claim)
    expect(page.locator(".st-key-guess-false button")).to_have_text("✓ false")
    page.locator(".st-key-a input").click()
    page.keyboard.press("ArrowRight")
    settled(page)
    expect(page.locator(CLAIM)).to_have_text(STOPS[9].claim)


def test_from_a_stop_to_its_view_and_on(page: Page) -> None:
    """One with a target below the screen; tests/ui/test_tour.py looks into all."""
    stop = STOPS[0]
    go(page, "?stop=1")
    page.locator(".st-key-guess-true button").click()
    expect(page).to_have_url(re.compile("guess1=true"))
    settled(page)
    page.locator(".st-key-tour .bx-action").click()
    expect(page).to_have_url(re.compile(stop.page))
    # The bar says right or wrong once the view has run; the target has an outline below it.
    judgement = f"You said true: {'right' if stop.when_met else 'wrong'}."
    expect(page.locator(f"{BAR} summary")).to_have_text(judgement, timeout=90_000)
    settled(page)
    outlined = f".st-key-chart_equal-rows:is({target_of(page)})"
    expect(page.locator(outlined)).to_be_in_viewport(ratio=1)
    bar, place = page.locator(BAR).bounding_box(), page.locator(outlined).bounding_box()
    assert bar is not None
    assert place is not None
    assert bar["y"] >= 0
    assert place["y"] >= bar["y"] + bar["height"]
    page.locator('[data-testid="stMain"]').evaluate("e => e.scrollTo(0, e.scrollHeight)")
    expect(page.locator(BAR)).to_be_in_viewport(ratio=1)
    page.keyboard.press("PageDown")
    expect(page.locator(CLAIM)).to_have_text(STOPS[1].claim)
    follow(page, f"Stop 1, seen: {stop.claim}")
    expect(page.locator(CLAIM)).to_be_in_viewport()
    expect(page.locator(CLAIM)).to_have_text(stop.claim)
    expect(page.locator(".st-key-guess-true button")).to_have_text("✓ true")
    assert query(page) == {"stop": "1", "guess1": "true", "seen": "1"}


def target_of(page: Page) -> str:
    """What tour.js has outlined, as a selector."""
    rule: str = page.evaluate(
        "[...document.head.querySelectorAll('style')].map(s => s.textContent)"
        ".find(text => text.includes('outline-offset: 5px'))"
    )
    return rule.partition("{")[0].strip()


def test_back_goes_past_an_address_with_default_values(page: Page) -> None:
    """Streamlit takes them out of the view's address, and leaves an entry behind."""
    go(page, "?stop=3")
    start = page.url
    page.locator(".st-key-tour .bx-action").click()
    expect(page).to_have_url(re.compile(r"\?section=[^&]*&tour=3$"))
    settled(page)
    page.go_back()
    expect(page).to_have_url(start)
    settled(page)
    expect(page.locator(CLAIM)).to_have_text(STOPS[2].claim)


def test_a_stop_as_a_picture_for_a_slide(page: Page, tmp_path: Path) -> None:
    go(page, "Nearest_Neighbors?q=dog&tour=7&guess7=true")
    expect(page.locator(".modebar-btn.save-svg").first).to_be_attached()
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture for a slide").click()
    name = "nearest-neighbors_neighbors-1_all-MiniLM-L6-v2_dog.png"
    assert download.value.suggested_filename == name
    download.value.save_as(tmp_path / "slide.png")
    header = (tmp_path / "slide.png").read_bytes()[:24]
    assert [int.from_bytes(header[i : i + 4]) for i in (16, 20)] == [2560, 1440]
