"""Pictures and tables to take home."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

from tests.live_app import CHART, go, settled

# Letters of a picture that lie outside of it, in a page that has no font of ours.
OUTSIDE = """svg => {
    const whole = svg.getBoundingClientRect();
    const isOutside = (box) => box.width > 0 && (box.left < whole.left || box.right > whole.right ||
        box.top < whole.top || box.bottom > whole.bottom + 1);
    return [...svg.querySelectorAll("text")]
        .filter((text) => text.textContent.trim() && isOutside(text.getBoundingClientRect()))
        .map((text) => text.textContent);
}"""


@pytest.fixture
def saved(page: Page, tmp_path: Path) -> Callable[[Locator], tuple[str, bytes]]:
    def save(button: Locator) -> tuple[str, bytes]:
        with page.expect_download() as download:
            button.first.click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path.name, path.read_bytes()

    return save


def test_a_chart_as_svg_and_png_and_its_table_as_csv(
    page: Page, saved: Callable[[Locator], tuple[str, bytes]]
) -> None:
    go(page, "Nearest_Neighbors?q=%3Cb%3E+-+man+%2B+king")
    settled(page)
    chart = page.locator(".st-key-chart_neighbors-1")
    chart.hover()
    shown = chart.inner_text()
    file = "nearest-neighbors_neighbors-1_all-MiniLM-L6-v2_b-man-+-king"
    name, svg = saved(chart.locator(".modebar-btn.save-svg:visible"))
    assert name == f"{file}.svg"
    text = svg.decode()
    assert "Arial" in text
    assert "Source Sans" not in text
    name, png = saved(chart.locator(".modebar-btn[data-title*=PNG]:visible"))
    assert name == f"{file}.png"
    assert png.startswith(b"\x89PNG")
    assert chart.inner_text() == shown  # the title is on the saved ones alone
    with page.context.new_page() as alone:
        alone.set_content(f"<body>{text}</body>")
        picture = alone.locator("svg").first
        told = picture.text_content() or ""
        for part in ("<b>", "Nearest Neighbors · all-MiniLM-L6-v2", "/Nearest_Neighbors?q="):
            assert part in told.replace("\xa0", " ")
        assert picture.evaluate(OUTSIDE) == []
    page.locator("summary", has_text="Table").first.click()
    name, csv = saved(page.get_by_role("button", name="Table as CSV"))
    assert name == f"{file}.csv"
    header, first, *_ = csv.decode("utf-8-sig").splitlines()
    assert header.startswith("rank,token,token id,")
    assert header.endswith(",model")
    assert first.endswith(",all-MiniLM-L6-v2")


@pytest.mark.parametrize("path", ["Input_Embeddings", "Word_in_Context"])
def test_no_letter_of_a_saved_picture_is_cut(
    page: Page, saved: Callable[[Locator], tuple[str, bytes]], path: str
) -> None:
    """By the widths of the letters that are in the file; the page's own are narrower."""
    go(page, path)
    button = page.locator(f"{CHART} .modebar-btn.save-svg").first
    button.wait_for(state="attached", timeout=60_000)
    settled(page)
    _, svg = saved(button)
    with page.context.new_page() as alone:
        alone.set_content(f"<body>{svg.decode()}</body>")
        assert alone.locator("svg").first.evaluate(OUTSIDE) == []
