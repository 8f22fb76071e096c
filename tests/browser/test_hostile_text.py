"""Typed text stays text: nothing of it runs, loads, links or lays itself out."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.live_app import CHART, fill, go, settled

HOSTILE = (
    '<img src=x onerror="window.pwned=1"><b>bold</b></bdi></div><style>*{display:none}</style> '
    "![x](http://127.0.0.1:1/x.png) [l](javascript:window.pwned=1) **b** `c` $x^2$ :smile: "
    "שלום مرحبا 我 🐍 e\u0301 a\u202eb \x07 \ud83d"
)


@pytest.mark.parametrize(
    ("path", "key", "line"),
    [
        ("Input_Embeddings", "a", "{}"),
        ("Nearest_Neighbors", "q", "{}"),
        ("Word_in_Context", "a", "{} [python]"),
    ],
)
def test_text_is_data(page: Page, path: str, key: str, line: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    go(page, path)
    main = page.locator('[data-testid="stMain"]')
    fill(page, key, line.format(HOSTILE))
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate("window.pwned") is None
    assert main.locator('img[src="x"], a[href^="javascript"], a[href*="127.0.0.1:1"]').count() == 0
    assert main.locator(".bx b b, .bx-token b, .katex").count() == 0
    own = ("data:", "blob:", page.evaluate("location.origin"))
    assert not [url for url in asked if not url.startswith(own)]


def test_lines_of_a_file_are_literal_under_the_pointer(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("".join(f"The <b>light</b> number {i} is on\n" for i in range(9)), "utf-8")
    go(page, "Word_Senses?from=text+file&senseword=light")
    page.set_input_files("input[type=file]", path)
    # Of the map, which comes first.
    points = page.locator(CHART).first.locator(".scatterlayer .point")
    expect(points).to_have_count(9, timeout=90_000)
    settled(page)
    points.first.hover(force=True)
    expect(page.locator(f"{CHART} .hoverlayer").first).to_contain_text("<b>[light]</b> number")
    # The file is there again after another page.
    for name in ("Tokens", "Word Senses"):
        page.locator('[data-testid="stSidebar"]').get_by_role("link", name=name).click()
        expect(page.locator(CHART).first).to_be_visible(timeout=60_000)
        settled(page)
    expect(points).to_have_count(9, timeout=60_000)
    expect(page.get_by_text("In use: lines.txt")).to_be_visible()
