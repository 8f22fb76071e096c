"""axe-core finds no serious fault on any page, in light and in dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.live_app import CHART, ROOT, go, settled

PAGES = ["", *(path.stem.partition("_")[2] for path in sorted((ROOT / "pages").glob("*.py")))]
SERIOUS = ("serious", "critical")


def faults(page: Page) -> list[str]:
    """Each with the first of the elements that have it."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:200]} "
        f"({len(fault['nodes'])}; {fault['nodes'][0]['any'][:1]})"
        for fault in found
        if fault["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("path", PAGES)
def test_no_serious_fault(page: Page, path: str) -> None:
    go(page, path)
    if path != "Methods":
        expect(page.locator(CHART).first).to_be_visible(timeout=60_000)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        settled(page)
        assert faults(page) == [], scheme
