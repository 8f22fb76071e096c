"""Charts under the pointer, and what is drawn when an input moves."""

import pytest
from playwright.sync_api import Page, expect

from tests.live_app import CHART, field, go, query, settled, value

MAP = "[class*='st-key-chart_senses-pca']"
# The horizontal axis of the map as drawn, where its lines start, and the points selected in its
# first series.
STATE = f"""() => {{
    const chart = document.querySelector("{MAP} .js-plotly-plot");
    const {{ xaxis, shapes }} = chart._fullLayout;
    return {{
        range: xaxis.range,
        start: shapes[0].x0,
        selected: chart.data[0].selectedpoints,
    }};
}}"""


def points(page: Page) -> list[tuple[float, float]]:
    """Where the first series is drawn, in pixels."""
    expect(page.locator(f"{MAP} .scatterlayer .point").first).to_be_visible(timeout=90_000)
    boxes = [
        point.bounding_box()
        for point in page.locator(f"{MAP} .scatterlayer .trace").first.locator(".point").all()
    ]
    return [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box]


def test_a_large_matrix_is_a_picture_and_a_slider_moves_its_frame(page: Page) -> None:
    go(page, "Positions_and_Segments")
    expect(page.locator(f"{CHART} .im image")).to_have_count(1)
    expect(page.locator(f"{CHART} .hm image")).to_have_count(1)
    page.locator(".st-key-row input[type=range]").press("ArrowRight")
    expect(value(page, "row").first).to_have_text("101")
    expect(page.get_by_text("In the frame: 69 to 132 with 78 to 141")).to_be_visible()
    assert query(page) == {"row": "101"}


def test_a_layer_of_the_model_is_opened_by_a_click(page: Page) -> None:
    go(page, "Inside_the_Model")
    slices = page.locator(f"{CHART} .treemaplayer .slice")
    slices.filter(has_text="layer 3").last.click()
    expect(slices.filter(has_text="intermediate.dense.weight").first).to_be_visible()
    expect(slices.filter(has_text="layer 4")).to_have_count(0)


def test_the_layers_move_the_points(page: Page) -> None:
    go(page, "Word_Senses?set=apple")
    last = points(page)
    field(page, "layer").press("ArrowLeft")
    page.wait_for_url("**layer=5**")
    settled(page)
    moved = points(page)
    assert len(moved) == len(last) == 14
    assert moved != last


def test_a_click_lists_an_occurrence_and_a_box_several(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 1600})
    go(page, "Word_Senses?set=bat&map=this+layer")
    settled(page)
    x, y = points(page)[2]
    page.mouse.move(x, y)
    expect(page.locator(f"{MAP} .hoverlayer")).to_contain_text("[bat]")
    page.mouse.click(x, y)
    page.wait_for_url("**near=3**")
    expect(value(page, "number").first).to_have_text("3")
    expect(value(page, "before0")).to_contain_text("Is that a bird or a")
    settled(page)
    page.locator(f"{MAP} .modebar-btn[data-title='Box Select']").click()
    box = page.locator(f"{MAP} .nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] - 3, steps=8)
    page.mouse.up()
    expect(page.get_by_text("28 selected")).to_be_visible()


def test_lines_follow_a_click_and_the_map_keeps_its_zoom(page: Page) -> None:
    """They are put on the chart that stands there: a new one would lose zoom and selection."""
    page.set_viewport_size({"width": 1440, "height": 1600})
    go(page, "Word_Senses?set=bat&map=this+layer&near=7")
    lines = page.locator(f"{MAP} .shapelayer path")
    expect(lines).to_have_count(11)  # and the ring
    settled(page)
    first = page.evaluate(STATE)
    box = page.locator(f"{MAP} .nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    page.mouse.move(box["x"] + 59, box["y"] + 29, steps=4)
    page.mouse.up()
    page.wait_for_timeout(500)  # sooner, Plotly takes the click for the second of a double-click
    x, y = points(page)[2]
    page.mouse.click(x, y)
    page.wait_for_url("**near=3**")
    expect(value(page, "map_point")).to_have_text("3")
    page.wait_for_function(f"first => ({STATE})().start !== first", arg=first["start"])
    moved = page.evaluate(STATE)
    assert moved["range"][0] < first["range"][0]  # as it was dragged
    assert moved["selected"] == [2]
    expect(lines).to_have_count(11)


def test_the_points_play_through_the_layers(page: Page) -> None:
    """In the browser alone; they end at the layer of the address, and lines wait meanwhile."""
    go(page, "Word_Senses?set=bat&layer=5")
    lines = page.locator(f"{MAP} .shapelayer path")
    expect(lines.first).to_be_visible()
    settled(page)
    told = page.locator(f"{MAP} .textpoint", has_text="layer")
    expect(told).to_have_text("layer 5")
    before = points(page)
    page.locator(f"{MAP} .updatemenu-button").click()
    expect(told).to_have_text("layer 0")
    expect(lines.first).to_be_hidden()
    page.wait_for_timeout(1_000)  # on the way to layer 1
    assert points(page) != before
    expect(told).to_have_text("layer 6")
    expect(told).to_have_text("layer 5")
    expect(lines.first).to_be_visible()
    assert points(page) == [pytest.approx(point, abs=0.5) for point in before]
    assert query(page) == {"set": "bat", "layer": "5"}
