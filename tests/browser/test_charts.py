"""Charts under the pointer, and what is drawn when an input moves."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.live_app import assert_drawn, box, fill, go, query, settled, value

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
    series = page.locator(f"{MAP} .scatterlayer .trace").first
    places = [box(point) for point in series.locator(".point").all()]
    return [(one["x"] + one["width"] / 2, one["y"] + one["height"] / 2) for one in places]


def drag(page: Page, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Over the map, from one point to another; below zero, from its far edge."""
    area = box(page.locator(f"{MAP} .nsewdrag"))
    (x, y), (to_x, to_y) = [
        (area["x"] + x % area["width"], area["y"] + y % area["height"]) for x, y in (start, end)
    ]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y, steps=4)
    page.mouse.up()


def test_a_point_says_its_sentence(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 1600})
    go(page, "Word_Senses?set=bat")
    settled(page)
    page.mouse.move(*points(page)[2])
    expect(page.locator(f"{MAP} .hoverlayer")).to_contain_text("[bat]")


def test_lines_follow_a_click_and_the_map_keeps_its_zoom(page: Page) -> None:
    """They are put on the chart that is there: a new one would lose zoom and selection."""
    page.set_viewport_size({"width": 1440, "height": 1600})
    go(page, "Word_Senses?set=bat&near=7")
    lines = page.locator(f"{MAP} .shapelayer path")
    expect(lines).to_have_count(11)  # and the ring
    settled(page)
    first = page.evaluate(STATE)
    drag(page, (9, 9), (59, 29))
    page.wait_for_timeout(500)  # sooner, Plotly takes the click for the second of a double-click
    x, y = points(page)[2]
    page.mouse.click(x, y)
    page.wait_for_url("**near=3**")
    expect(value(page, "before0")).to_contain_text("Is that a bird or a")
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
    layer = page.locator(f"{MAP} .textpoint", has_text="layer")
    expect(layer).to_have_text("layer 5")
    before = points(page)
    page.locator(f"{MAP} .updatemenu-button").click()
    expect(layer).to_have_text("layer 0")
    expect(lines.first).to_be_hidden()
    page.wait_for_timeout(1_000)  # on the way to layer 1
    assert points(page) != before
    expect(layer).to_have_text("layer 6")
    expect(layer).to_have_text("layer 5")
    expect(lines.first).to_be_visible()
    assert points(page) == [pytest.approx(point, abs=0.5) for point in before]
    assert query(page) == {"set": "bat", "layer": "5"}


def test_map_of_the_token_table(page: Page, complaints: list[str]) -> None:
    """Of 30,522 points, without WebGL as in all browsers here (`live_app.QUIET`)."""

    def label(token: str) -> Locator:
        return chart.locator(".textpoint", has_text=re.compile(f"^{token}$"))

    go(page, "Nearest_Neighbors?q=")
    chart = page.locator(".st-key-chart_token-map")
    expect(chart.locator(".imagelayer image")).to_have_count(1)
    settled(page)  # a chart that is drawn anew has no place for a moment
    area = box(chart.locator(".nsewdrag"))
    # A point is under the pointer nearly everywhere in the middle of the map.
    x, y = area["x"] + 0.55 * area["width"], area["y"] + 0.5 * area["height"]
    page.mouse.move(x, y)
    expect(chart.locator(".hoverlayer")).to_contain_text(re.compile(r"\S"))

    fill(page, "q", "dog")
    picture = chart.locator(".imagelayer image")
    expect(label("dog")).to_have_count(1)
    beside = box(chart.locator(".nsewdrag"))
    assert beside["width"] == pytest.approx(beside["height"], abs=2)
    assert beside["width"] > 440
    assert beside["y"] + beside["height"] < 900
    settled(page)
    fill(page, "q", "cat")  # the browser keeps the picture of all tokens
    expect(label("cat")).to_have_count(1)
    expect(label("dog")).to_have_count(0)
    expect(picture).to_have_count(1)
    assert_drawn(page, complaints)
