"""A phone: fingers instead of a pointer, and a narrow screen on which nothing scrolls sideways."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.live_app import CHART, PHONE, assert_fits_a_phone, box, go, visitor


@pytest.fixture(scope="module")
def phone(browser: Browser, address: str) -> Iterator[Page]:
    with visitor(browser, address, **PHONE) as context:
        yield context.new_page()


def test_the_menu_leads_to_another_page(phone: Page) -> None:
    go(phone, "Tokens")
    phone.get_by_test_id("stExpandSidebarButton").tap()
    phone.get_by_role("link", name="Input Embeddings", exact=True).tap()
    phone.wait_for_url("**/Input_Embeddings")
    expect(phone.get_by_test_id("stSidebar")).not_to_be_in_viewport()
    expect(phone.locator(CHART).first).to_be_in_viewport(timeout=60_000)


def test_a_swipe_over_a_chart_scrolls_the_page(phone: Page) -> None:
    go(phone, "Nearest_Neighbors?q=dog")
    chart = phone.locator(f"{CHART} .nsewdrag").first
    chart.evaluate("e => e.scrollIntoView({block: 'center'})")
    area = box(chart)
    main = phone.locator('[data-testid="stMain"]')
    before = main.evaluate("e => e.scrollTop")
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    finger = phone.context.new_cdp_session(phone)
    for step, kind in enumerate(["touchStart", *["touchMove"] * 10]):
        finger.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y - 12 * step}]},
        )
        phone.wait_for_timeout(20)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    phone.wait_for_function(
        "before => document.querySelector('[data-testid=stMain]').scrollTop > before + 60",
        arg=before,
    )


def test_a_finger_on_a_chart_shows_its_number(phone: Page) -> None:
    go(phone, "Nearest_Neighbors?q=dog")
    bar = phone.locator(f"{CHART} .bars .point").nth(1)
    bar.evaluate("e => e.scrollIntoView({block: 'center'})")
    area = box(bar)
    phone.touchscreen.tap(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
    expect(phone.locator(f"{CHART} .hoverlayer").first).to_contain_text("dogs")


def test_what_is_tapped_is_high_enough_for_a_finger(phone: Page) -> None:
    go(phone, "Word_in_Context")
    plane = phone.locator(".st-key-chart_plane")
    plane.locator(".slider-label").first.wait_for(timeout=60_000)
    assert box(plane)["y"] < 844 - 150, "the picture is on the first screen"
    phone.locator(".bx-narrow summary").tap()
    expect(phone.get_by_label("Compare it with")).to_be_visible()
    for kind in (
        '.bx-token[role="option"]',
        ".bx-method",
        ".bx-examples a",
        ".bx-fold summary",
        ".modebar-btn:not([data-attr=dragmode])",
    ):
        heights = phone.locator(kind).evaluate_all("all => all.map(e => e.clientHeight)")
        assert heights
        assert min(heights) >= 38, kind  # without its border
    assert_fits_a_phone(phone)
