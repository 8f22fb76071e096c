"""One server, one browser and one tab for all tests of this folder."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from tests.live_app import as_new, chromium, running_app, running_browser, visitor


def pytest_runtest_setup() -> None:
    """Without a browser these tests are skipped with the reason; under CI that is a failure."""
    if chromium() is None:
        reason = "no Chromium on this machine (set CHROMIUM, or install the package chromium)"
        if os.environ.get("CI"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_app(HF_HUB_CACHE=str(tmp_path_factory.mktemp("cache") / "hub")) as url:
        yield url


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed before other tests: Playwright keeps an event loop in this thread while it runs."""
    with running_browser() as started:
        yield started


@pytest.fixture(scope="package")
def tab(browser: Browser, address: str) -> Iterator[Page]:
    with visitor(browser, address) as context:
        yield context.new_page()


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """The one tab, as if it were new."""
    tab.bring_to_front()  # Chromium lets what is behind another tab wait for ten seconds
    tab.set_viewport_size({"width": 1440, "height": 900})
    tab.emulate_media(color_scheme="light")
    yield tab
    assert tab.locator('[data-testid="stException"]').count() == 0
    as_new(tab)


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """What scripts of the page report as wrong while a test runs."""
    found: list[str] = []

    def console(message: ConsoleMessage) -> None:
        # Streamlit itself asks for addresses that are not there.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            found.append(message.text)

    def thrown(error: Exception) -> None:
        found.append(str(error))

    page.on("console", console)
    page.on("pageerror", thrown)
    yield found
    page.remove_listener("console", console)
    page.remove_listener("pageerror", thrown)
