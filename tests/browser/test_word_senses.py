"""Word Senses in a real browser: the layers move the map, a click lists, a file is read."""

from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, expect

from tests.live_app import field, fill, go, settled

MAP = ".st-key-chart_senses-pca"


def points(page: Page) -> list[tuple[float, float]]:
    """Where the first series is drawn, in pixels."""
    expect(page.locator(f"{MAP} .scatterlayer .point").first).to_be_visible(timeout=90_000)
    boxes = [
        point.bounding_box()
        for point in page.locator(f"{MAP} .scatterlayer .trace").first.locator(".point").all()
    ]
    return [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box]


def test_the_layers_move_the_points(page: Page) -> None:
    go(page, "Word_Senses?set=apple")
    finding = page.locator(".bx-finding").first
    expect(finding).to_contain_text("The senses of apple separate best at layer 1", timeout=90_000)
    last = points(page)
    page.locator(".st-key-layer input[type=range]").press("ArrowLeft")
    page.wait_for_url("**layer=5**")
    settled(page)
    moved = points(page)
    assert len(moved) == len(last) == 14
    assert moved != last


def test_a_click_lists_the_occurrence_and_its_nearest(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 1600})
    go(page, "Word_Senses?set=bat&map=this+layer")
    settled(page)
    x, y = points(page)[2]
    page.mouse.move(x, y)
    expect(page.locator(f"{MAP} .hoverlayer")).to_contain_text("[bat]")
    page.mouse.click(x, y)
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.wait_for_url("**near=3**")
    said = page.locator('[data-testid="stText"]', has_text="3 · Is that a bird or a bat")
    expect(said).to_be_visible()


def test_a_lasso_takes_several(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 1600})
    go(page, "Word_Senses?set=bat")
    settled(page)
    points(page)
    page.locator(f"{MAP} .modebar-btn[data-title='Box Select']").click()
    box = page.locator(f"{MAP} .nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] - 3, steps=8)
    page.mouse.up()
    expect(page.get_by_text("28 selected")).to_be_visible()


def test_a_text_file_of_ones_own(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("".join(f"The <b>light</b> number {i} is on\n" for i in range(9)), "utf-8")
    go(page, "Word_Senses?from=text+file&senseword=light")
    expect(page.locator(".bx-note")).to_contain_text("Upload a file")
    page.set_input_files("input[type=file]", path)
    assert len(points(page)) > 0
    settled(page)
    assert page.locator(f"{MAP} .scatterlayer .point").count() == 9
    x, y = points(page)[0]
    page.mouse.move(x, y)
    expect(page.locator(f"{MAP} .hoverlayer")).to_contain_text("<b>[light]</b> number")


def test_a_shared_address_restores_lines_of_ones_own(page: Page) -> None:
    lines = "A [seal] barked\nthe wax seal broke\na seal swam\n<img src=x onerror=pwned=1> seal"
    go(page, f"Word_Senses?from=my+own+lines&senseword=seal&lines={quote(lines)}&layer=3&near=2")
    assert len(points(page)) > 0
    settled(page)
    expect(field(page, "lines")).to_have_value(lines)
    expect(field(page, "senseword")).to_have_value("seal")
    expect(page.locator(".st-key-layer input[type=range]")).to_have_value("3")
    said = page.locator('[data-testid="stText"]', has_text="2 · the wax seal broke")
    expect(said).to_be_visible()
    assert page.evaluate("window.pwned") is None
    fill(page, "senseword", "walrus")
    expect(page.locator(".bx-alert")).to_contain_text("“walrus” stands nowhere in these lines")
