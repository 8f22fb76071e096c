"""The page on the inside of a model in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.live_app import CHART, field, fill, go, settled

TRAINING = "Inside_the_Model?inside=what+training+changes"


def choose(page: Page, view: str) -> None:
    page.locator(".st-key-inside").get_by_text(view, exact=True).click()
    settled(page)


def run(page: Page, key: str) -> None:
    """Click the button that loads the model; another test of this server may have loaded it."""
    if page.locator(f".st-key-{key} button").count():
        page.locator(f".st-key-{key} button").click()
    expect(page.locator(CHART)).to_have_count(2, timeout=90_000)
    settled(page)


def test_from_view_to_view(page: Page) -> None:
    go(page, "Inside_the_Model")
    expect(page.locator(".bx-finding").first).to_contain_text("22,713,216")
    expect(page.locator(f"{CHART} .treemaplayer .slice").first).to_be_visible()
    choose(page, "one tensor")
    assert "inside=one+tensor" in page.url
    expect(page.locator(f"{CHART} .bars .point").first).to_be_visible()
    choose(page, "norms of the token table")
    expect(page.locator(f"{CHART} .legendtext").last).to_contain_text("special (5)")


def test_a_layer_is_opened_by_a_click(page: Page) -> None:
    go(page, "Inside_the_Model")
    layer = page.locator(f"{CHART} .treemaplayer .slice").filter(has_text="layer 3")
    layer.last.click()
    opened = page.locator(f"{CHART} .treemaplayer .slice")
    expect(opened.filter(has_text="intermediate.dense.weight").first).to_be_visible()
    expect(opened.filter(has_text="layer 4")).to_have_count(0)


def test_training_by_one_click(page: Page) -> None:
    go(page, TRAINING)
    run(page, "run_training")
    expect(page.locator(".bx-finding").first).to_contain_text("7 of 30,522 token rows")
    expect(page.locator(".bx-finding").last).to_contain_text("Yes, all three")
    fill(page, "alike", "My [dog] sleeps beside the [cat]")
    expect(page.locator(".bx-finding").first).to_contain_text("“dog” and “cat”")
    fill(page, "alike", "only [one] mark")
    expect(page.locator(".bx-alert")).to_contain_text("marks one word only")
    expect(page.locator(CHART)).to_have_count(0)


def test_the_pooler_by_one_click(page: Page) -> None:
    go(page, "Inside_the_Model?inside=pooler&pooled=I+am+Sinan")
    run(page, "run_pooler")
    expect(field(page, "pooled")).to_have_value("I am Sinan")
    expect(page.locator(".bx-finding").first).to_contain_text("equal to the last bit")


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        (
            "inside=one+tensor&tensor=embeddings.position_embeddings.weight&heights=linear",
            "196,608 numbers",
        ),
        (
            "inside=what+training+changes&alike=A+%5Bdog%5D+saw+a+%5Bcat%5D&beside=It+ran",
            "2 of 2 segment rows",
        ),
    ],
)
def test_a_shared_address_restores_the_view(page: Page, query: str, shown: str) -> None:
    go(page, f"Inside_the_Model?{query}")
    if "training" in query:
        run(page, "run_training")
    expect(page.locator(".bx-finding").first).to_contain_text(shown)
    for part in query.split("&"):
        assert part in page.url, f"{part} was dropped from the address"


def test_narrow_screens_do_not_scroll_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    go(page, "Inside_the_Model")
    for view in ("one tensor", "norms of the token table", "pooler", "what training changes"):
        choose(page, view)
        for key in ("run_pooler", "run_training"):
            if page.locator(f".st-key-{key} button").count():
                run(page, key)
        expect(page.locator(CHART).first).to_be_visible()
        wide, room = page.locator('[data-testid="stMain"]').evaluate(
            "e => [e.scrollWidth, e.clientWidth]"
        )
        assert wide <= room == 390, view
