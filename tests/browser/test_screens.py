"""What is seen: contrast in light and dark, and large type."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.live_app import CHART, go, query, settled


def luminance(color: str) -> float:
    channels = [int(c) / 255 for c in re.findall(r"\d+", color)[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_are_readable(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for path, parts in (
        ("Input_Embeddings", (".ytick text", ".xtitle", ".annotation-text")),
        ("Word_in_Context", (".cbaxis text",)),
    ):
        go(page, path)
        background = page.locator('[data-testid="stApp"]').evaluate(
            "e => getComputedStyle(e).backgroundColor"
        )
        assert (luminance(background) < 0.1) == (scheme == "dark")
        for part in parts:
            label = page.locator(f"{CHART} {part}").first
            expect(label).to_be_visible(timeout=60_000)
            color = label.evaluate("e => getComputedStyle(e).fill")
            bright, dim = sorted((luminance(color), luminance(background)), reverse=True)
            assert (bright + 0.05) / (dim + 0.05) >= 4.5, f"{part}: {color}"


def test_large_type_stays_from_page_to_page(page: Page) -> None:
    size = "getComputedStyle(document.documentElement).fontSize"
    go(page, "?present=1")
    assert page.evaluate(size) == "22px"
    page.locator(".bx-card").first.click()
    settled(page)
    assert query(page)["present"] == "1"
    assert page.evaluate(size) == "22px"
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth")
