"""What holds on every page: the picture first, drawn without WebGL, readable, also on a phone.

One visit of a page answers for all of it, because a visit takes seconds.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.accessibility import violations
from tests.live_app import CHART, PAGES, assert_drawn, assert_fits_a_phone, box, choose, go, settled

# What looks like a button, but for the menus of charts and tables, which show under the pointer.
BUTTONS = (
    '[data-testid="stMain"] :is(button, [role=radio], summary, .bx-links a, .updatemenu-button)'
    ':not(.modebar *, [data-testid="stElementToolbar"] *, [data-testid="stTooltipIcon"] *)'
)


WIDE, NARROW = (1440, 900), (390, 844)


def assert_readable(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    settled(page)
    assert violations(page) == [], size


def assert_accessible(page: Page) -> None:
    """By axe-core: light, as it was opened, and dark, wide and on a phone, as it is left."""
    for size in (WIDE, NARROW):
        assert_readable(page, size)
    darkened(page)
    for size in (WIDE, NARROW):
        assert_readable(page, size)


def darkened(page: Page) -> None:
    """Pictures have the look with which their page was opened."""
    page.emulate_media(color_scheme="dark")
    page.reload()
    settled(page)


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
    """Light and wide, then dark and on a phone; what is around a section has all four above."""
    go(page, path)
    for size in (WIDE, NARROW):
        if size == NARROW:
            darkened(page)
        for section in page.locator(".st-key-section [role=radio]").all():
            if section.get_attribute("aria-checked") != "true":  # else a click closes it
                choose(page, section.inner_text())
            if (run := page.get_by_role("button", name="Run the model")).count():
                assert_readable(page, size)
                run.click()
                settled(page)
            assert_readable(page, size)
