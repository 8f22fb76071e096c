"""Pictures and web pages to take home."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route

from tests.live_app import go, settled

TITLES = "all => all.map(e => e.dataset.title)"

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


def test_a_chart_as_svg_and_png(page: Page, saved: Callable[[Locator], tuple[str, bytes]]) -> None:
    go(page, "Nearest_Neighbors?q=%3Cb%3E+-+man+%2B+king")
    settled(page)
    chart = page.locator(".st-key-chart_neighbors-1")
    chart.hover(position={"x": 4, "y": 4})  # on no bar
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
        letters = picture.text_content() or ""
        for part in ("<b>", "Nearest Neighbors · all-MiniLM-L6-v2", "/Nearest_Neighbors?q="):
            assert part in letters.replace("\xa0", " ")
        assert picture.evaluate(OUTSIDE) == []


def test_a_view_as_a_web_page_needs_no_network(
    page: Page, browser: Browser, tmp_path: Path, saved: Callable[[Locator], tuple[str, bytes]]
) -> None:
    go(page, "Nearest_Neighbors?q=%3Cb%3E+-+man+%2B+king&code-neighbors-1=true")
    settled(page)
    name, _ = saved(page.get_by_role("button", name="Web page (HTML)"))
    assert name.startswith("nearest-neighbors_neighbors-1_all-MiniLM-L6-v2_b")
    reached: list[str] = []

    def refused(route: Route) -> None:
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            reached.append(route.request.url)
            route.abort()

    context = browser.new_context(offline=True)
    alone = context.new_page()
    alone.route("**/*", refused)
    errors: list[str] = []
    alone.on("pageerror", lambda error: errors.append(str(error)))
    alone.goto((tmp_path / name).as_uri())
    bars = alone.locator(".js-plotly-plot .barlayer path")
    bars.first.wait_for()
    assert bars.count() >= 10
    assert "Nearest to <b>" in alone.locator(".finding").inner_text()
    assert "Nearest Neighbors · all-MiniLM-L6-v2" in alone.locator("small").inner_text()
    for page_with_bar in (page, alone):
        titles = page_with_bar.locator("[data-title]").evaluate_all(TITLES)
        assert any("Download plot" in title for title in titles), titles
        assert not [title for title in titles if "hare" in title or "loud" in title], titles
    for button in alone.locator(".modebar-btn").all():
        button.click()
    assert not reached
    assert not errors
    context.close()
