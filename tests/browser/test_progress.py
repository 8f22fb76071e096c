"""What works for a while after a click says so on the screen, wherever the click was."""

from pathlib import Path

from playwright.sync_api import Browser, Locator, expect

from tests.live_app import go, running_app

FLOWS = [  # size of the screen, page, and what is clicked one after the other
    ((390, 844), "Inside_the_Model", "pooler", "Run the model"),
    ((1440, 900), "Input_Embeddings", "how much of the input survives?", ""),
]
IS_SEEN = """() => {
  const work = document.querySelector('.bx-at-work, [data-testid="stProgress"]');
  const { top, bottom } = work?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
  return top >= 0 && bottom <= innerHeight;
}"""


def test_progress_is_on_the_screen(tmp_path: Path, browser: Browser) -> None:
    """The click is at the lower edge of the screen; what follows it is below."""
    with running_app(HF_HUB_CACHE=str(tmp_path / "hub")) as address:
        for (width, height), path, section, button in FLOWS:
            page = browser.new_page(
                base_url=address,
                viewport={"width": width, "height": height},
                reduced_motion="reduce",
            )
            go(page, path)
            click_at_edge(page.get_by_role("radio", name=section, exact=True))
            if button:
                click_at_edge(page.get_by_role("button", name=button))
            # Looked for in the page: one wait takes the place of another.
            page.wait_for_function(IS_SEEN, timeout=30_000)
            page.close()


def click_at_edge(clicked: Locator) -> None:
    expect(clicked).to_be_visible()
    clicked.evaluate("e => e.scrollIntoView({block: 'end'})")
    clicked.click()
