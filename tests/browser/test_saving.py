"""Pictures and tables to take home."""

from pathlib import Path

from playwright.sync_api import Locator, Page

from tests.live_app import CHART, go


def test_a_chart_as_svg_and_png_and_its_table_as_csv(page: Page, tmp_path: Path) -> None:
    go(page, "Nearest_Neighbors")
    chart = page.locator(CHART).first
    chart.hover()

    def saved(button: Locator, name: str) -> bytes:
        with page.expect_download() as download:
            button.first.click()
        assert download.value.suggested_filename == name
        download.value.save_as(tmp_path / name)
        return (tmp_path / name).read_bytes()

    svg = saved(chart.locator(".modebar-btn.save-svg:visible"), "neighbors-1.svg")
    assert svg.startswith(b"<svg")
    assert b"queen" in svg
    png = saved(chart.locator(".modebar-btn[data-title*=PNG]:visible"), "neighbors-1.png")
    assert png.startswith(b"\x89PNG")
    csv = saved(page.get_by_role("button", name="Table as CSV"), "neighbors-1.csv")
    header, own, first, *_ = csv.decode("utf-8-sig").splitlines()
    assert header.startswith("rank,token,token id,cosine similarity,")
    assert own.startswith("1,king,2332,0.66")  # part of the query, and left out
    assert first.startswith("2,queen,3035,0.51")
