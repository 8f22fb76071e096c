"""The picture first: what a page opens with stands on the screen before anybody scrolls."""

import pytest
from playwright.sync_api import FloatRect, Page

from tests.live_app import CHART, go, settled

# Methods is a text, and what Home opens with is drawn from its sentence.
PAGES = [
    "",
    "Tokens",
    "Input_Embeddings",
    "Nearest_Neighbors",
    "Word_in_Context",
    "Word_Senses",
    "Positions_and_Segments",
    "Inside_the_Model",
]
FINDING = ".bx-finding"


def box(page: Page, what: str) -> FloatRect:
    found = page.locator(what).first.bounding_box()
    assert found is not None
    return found


@pytest.mark.parametrize("path", PAGES)
def test_picture_stands_on_the_first_screen(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    go(page, path)
    settled(page)
    wide = box(page, CHART)
    assert wide["y"] + wide["height"] <= 900
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert box(page, CHART)["y"] < 844


@pytest.mark.parametrize("path", PAGES)
def test_presenting_shows_the_finding_and_its_picture(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    go(page, f"{path}?present=1")
    settled(page)
    picture = box(page, CHART)
    assert picture["y"] + picture["height"] <= 720
    # A third of the screen at least is the picture.
    assert picture["height"] >= 240
    if path:
        assert 0 <= box(page, FINDING)["y"] < picture["y"]
