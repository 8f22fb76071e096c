"""What holds on every page: the picture first, drawn without WebGL, readable, also on a phone.

One visit of a page answers for all of it, because a visit takes seconds.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.accessibility import violations
from tests.live_app import CHART, PAGES, assert_drawn, assert_fits_a_phone, box, choose, go, settled

FINDING = ".bx-finding"
# What looks like a button, but for the menus of charts and tables, which show under the pointer.
BUTTONS = (
    '[data-testid="stMain"] :is(button, [role=radio], summary, .bx-links a, .updatemenu-button)'
    ':not(.modebar *, [data-testid="stElementToolbar"] *, [data-testid="stTooltipIcon"] *)'
)


def assert_accessible(page: Page) -> None:
    """By axe-core: light and dark, wide and on a phone; it is left dark, on a phone."""
    for scheme in ("light", "dark"):
        page.set_viewport_size({"width": 1440, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.reload()  # pictures have the look with which their page was opened
        for width, height in ((1440, 900), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            settled(page)
            assert violations(page) == [], (scheme, width)


@pytest.mark.parametrize("path", PAGES)
def test_a_visit(page: Page, complaints: list[str], path: str) -> None:
    go(page, path)
    has_picture = path != "Methods"  # which is a text
    if has_picture:
        expect(page.locator(CHART).first).to_be_visible(timeout=60_000)
        picture = box(page.locator(CHART))
        assert picture["y"] + picture["height"] <= 900
    if path and has_picture:  # Home is a list of ways on, Methods one of entries
        assert page.locator(".st-key-section [role=radio]").count() <= 6
        assert len([one for one in page.locator(BUTTONS).all() if one.is_visible()]) <= 15
    assert not page.evaluate("Boolean(document.createElement('canvas').getContext('webgl'))")
    assert_accessible(page)
    assert_fits_a_phone(page)
    if has_picture:
        assert box(page.locator(CHART))["y"] < 790
    assert_drawn(page, complaints)


@pytest.mark.parametrize(
    "path", ["Input_Embeddings?tour=1", "Tokens?tour=2&guess2=true", "Tokens?tour=13", "Hall"]
)
def test_what_is_no_page_of_the_sidebar(page: Page, path: str) -> None:
    """The guess and the verdict of the tour, its end, a phone in a hall."""
    go(page, path)
    assert_accessible(page)


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in PAGES if path not in ("", "Methods")])
def test_every_section(page: Page, path: str) -> None:
    go(page, path)
    for name in page.locator(".st-key-section [role=radio]").all_inner_texts():
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1440, "height": 900})
        choose(page, name)
        if (run := page.get_by_role("button", name="Run the model")).count():
            assert_accessible(page)
            run.click()
            settled(page)
        assert_accessible(page)


@pytest.mark.parametrize("path", [path for path in PAGES if path not in ("", "Methods")])
def test_presenting_shows_the_finding_and_its_picture(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    go(page, f"{path}?present=1")
    settled(page)
    picture = box(page.locator(CHART))
    assert picture["y"] + picture["height"] <= 720
    assert picture["height"] >= 240, "a third of the screen at least"
    assert 0 <= box(page.locator(FINDING))["y"] < picture["y"]
