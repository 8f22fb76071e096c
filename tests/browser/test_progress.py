"""What works for a while after a click says so on the screen, wherever the click was."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.live_app import running_app, settled

IS_SEEN = """() => {
  const work = document.querySelector('.bx-at-work, [data-testid="stProgress"]');
  const { top, bottom } = work?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
  return top >= 0 && bottom <= innerHeight;
}"""


def test_progress_is_on_the_screen(tmp_path: Path, page: Page) -> None:
    """The click is at the lower edge of the screen; what follows it is below."""
    page.set_viewport_size({"width": 390, "height": 844})
    with running_app(HF_HUB_CACHE=str(tmp_path / "hub")) as address:  # no model is loaded yet
        page.goto(f"{address}/Inside_the_Model")
        settled(page)
        click_at_edge(page.get_by_role("radio", name="pooler", exact=True))
        click_at_edge(page.get_by_role("button", name="Run the model"))
        # Looked for in the page: one wait takes the place of another.
        page.wait_for_function(IS_SEEN, timeout=30_000)


def click_at_edge(clicked: Locator) -> None:
    expect(clicked).to_be_visible()
    clicked.evaluate("e => e.scrollIntoView({block: 'end'})")
    clicked.click()
