"""A picture as a web page opens in a browser that reaches nothing."""

from pathlib import Path

from playwright.sync_api import Browser, Page, Route

from tests.live_app import go, settled

TITLES = "buttons => buttons.map(button => button.dataset.title)"


def test_a_view_as_a_web_page_needs_no_network(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    go(page, "Nearest_Neighbors?q=%3Cb%3E+-+man+%2B+king&code-neighbors-1=true")
    settled(page)
    button = page.get_by_role("button", name="Web page (HTML)")
    with page.expect_download() as download:
        button.click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name.startswith("nearest-neighbors_neighbors-1_all-MiniLM-L6-v2_b")
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
    alone.goto(file.as_uri())
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
