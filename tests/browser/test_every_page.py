"""What holds on every page: the picture first, drawn without WebGL, readable, also on a phone.

One visit of a page answers for all of it, because a visit takes seconds.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FloatRect, Page, expect

from tests.live_app import CHART, PAGES, assert_drawn, assert_fits_a_phone, go, settled

SERIOUS = ("serious", "critical")
FINDING = ".bx-finding"
# What looks like a button, but for the menus of charts and tables, which show under the pointer.
BUTTONS = (
    '[data-testid="stMain"] :is(button, [role=radio], summary, .bx-links a, .updatemenu-button)'
    ':not(.modebar *, [data-testid="stElementToolbar"] *, [data-testid="stTooltipIcon"] *)'
)


def box(page: Page, what: str) -> FloatRect:
    found = page.locator(what).first.bounding_box()
    assert found is not None
    return found


def faults(page: Page) -> list[str]:
    """What axe-core finds, each with the first of the elements that have it."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:200]} "
        f"({len(fault['nodes'])}; {fault['nodes'][0]['any'][:1]})"
        for fault in found
        if fault["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("path", PAGES)
def test_a_visit(page: Page, complaints: list[str], path: str) -> None:
    go(page, path)
    has_picture = path != "Methods"  # which is a text
    if has_picture:
        expect(page.locator(CHART).first).to_be_visible(timeout=60_000)
        picture = box(page, CHART)
        assert picture["y"] + picture["height"] <= 900
    if path and has_picture:  # Home is a list of ways on, Methods one of entries
        assert page.locator(".st-key-section [role=radio]").count() <= 6
        assert len([one for one in page.locator(BUTTONS).all() if one.is_visible()]) <= 15
    assert not page.evaluate("Boolean(document.createElement('canvas').getContext('webgl'))")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        settled(page)
        assert faults(page) == [], scheme
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert_fits_a_phone(page)
    if has_picture:
        assert box(page, CHART)["y"] < 790
    assert_drawn(page, complaints)


@pytest.mark.parametrize("path", [path for path in PAGES if path not in ("", "Methods")])
def test_presenting_shows_the_finding_and_its_picture(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    go(page, f"{path}?present=1")
    settled(page)
    picture = box(page, CHART)
    assert picture["y"] + picture["height"] <= 720
    assert picture["height"] >= 240, "a third of the screen at least"
    assert 0 <= box(page, FINDING)["y"] < picture["y"]
