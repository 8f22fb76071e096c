"""What works for a while after a click says so on the screen, wherever the click was."""

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.live_app import go, running_app

SIZES = {"screen": {"width": 1440, "height": 900}, "phone": {"width": 390, "height": 844}}
AT_EDGE = "e => e.scrollIntoView({block: 'end'})"
# The job of the last section goes on from one page to the next, so the order counts.
FLOWS = [
    ("phone", "Inside_the_Model", "pooler", "Run the model"),
    ("screen", "Input_Embeddings", "what is left of it in the layers?", ""),
    ("phone", "Input_Embeddings", "what is left of it in the layers?", ""),
]


def test_progress_is_on_the_screen(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> None:
    """The click is at the lower edge of the screen; what follows it stands below."""
    with running_app(HF_HUB_CACHE=str(tmp_path_factory.mktemp("cache") / "hub")) as address:
        for size, path, section, button in FLOWS:
            context = browser.new_context(
                base_url=address, viewport=SIZES[size], reduced_motion="reduce"
            )
            page = context.new_page()
            go(page, path)
            click_at_edge(page.get_by_role("radio", name=section, exact=True))
            if button:
                click_at_edge(page.get_by_role("button", name=button))
            assert_in_sight(page, SIZES[size]["height"])
            context.close()


def click_at_edge(clicked: Locator) -> None:
    expect(clicked).to_be_visible()
    clicked.evaluate(AT_EDGE)
    clicked.click()


def assert_in_sight(page: Page, height: int) -> None:
    work = page.locator('.bx-at-work, [data-testid="stProgress"]').first
    work.wait_for()
    page.wait_for_timeout(100)
    box = work.bounding_box()
    assert box is not None
    assert 0 <= box["y"] <= box["y"] + box["height"] <= height
