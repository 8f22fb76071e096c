"""Models on a real server: measured and downloaded by a click, beside the page."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.live_app import chips, query, running_app, settled, value
from tests.standin_hub import REPO, REVISION, standin_hub


def test_a_model_is_downloaded_by_a_click(page: Page, tiny_folder: Path, tmp_path: Path) -> None:
    """Offered, not ready, shown meanwhile on the embedded one, refused, fetched, used."""
    with (
        standin_hub(tiny_folder) as hub,
        running_app(
            HF_HUB_CACHE=str(tmp_path / "hub"),
            HF_HUB_OFFLINE="0",
            HF_ENDPOINT=hub.endpoint,
            BERTVIZ_MODELS=f"fetched={REPO}@{REVISION}",
        ) as url,
    ):
        hub.status = 503
        page.goto(f"{url}/Input_Embeddings?model=fetched")
        settled(page)
        expect(value(page, "problem")).to_contain_text("fetched is not on this machine yet")
        expect(value(page, "fallback")).to_have_text("all-MiniLM-L6-v2")
        expect(chips(page).first).to_contain_text("[CLS]")
        page.get_by_role("button", name="Download fetched").click()
        expect(page.locator(".bx-alert")).to_contain_text(
            "fetched cannot be downloaded from Hugging Face"
        )
        expect(chips(page).first).to_contain_text("[CLS]")
        hub.status = None
        page.get_by_role("button", name="Try again").click()
        expect(page.locator('[data-testid="stSidebar"]')).to_contain_text(
            "2 layers; downloaded by this app"
        )
        expect(page.locator(".bx-note")).to_have_count(0)
        assert query(page) == {"model": "fetched"}
