"""Pictures of the whole token table, without WebGL as in all browsers here (`live_app.QUIET`)."""

import re

from playwright.sync_api import Page, expect

from tests.live_app import assert_drawn, fill, go, query, settled, value

CLOUD = ".st-key-chart_token-norms"


def test_norms_of_the_token_table(page: Page, complaints: list[str]) -> None:
    go(page, "Inside_the_Model?section=norms+of+the+token+table")
    image = page.locator(f"{CLOUD} .imagelayer image")
    expect(image).to_have_count(1)
    marks = page.locator(f"{CLOUD} .scatterlayer .trace")
    expect(marks).to_have_count(8)
    assert_drawn(page, complaints)
    whole = image.get_attribute("href")

    # The longest row of all under the pointer: the highest mark of the first kind.
    page.locator(CLOUD).scroll_into_view_if_needed()
    words = [point.bounding_box() for point in marks.first.locator(".point").all()]
    longest = min((box for box in words if box), key=lambda box: box["y"])
    page.mouse.move(longest["x"] + longest["width"] / 2, longest["y"] + longest["height"] / 2)
    expect(page.locator(f"{CLOUD} .hoverlayer")).to_contain_text("briefs")

    page.get_by_role("button", name="[unused]", exact=True).click()
    expect(marks).to_have_count(1)
    assert image.get_attribute("href") != whole
    assert query(page) == {"section": "norms of the token table", "kinds": "[unused]"}
    assert_drawn(page, complaints)


def test_map_of_the_token_table(page: Page, complaints: list[str]) -> None:
    go(page, "Nearest_Neighbors?q=")
    chart = page.locator(".st-key-chart_token-map")
    expect(chart.locator(".imagelayer image")).to_have_count(1)
    area = chart.locator(".nsewdrag").first.bounding_box()
    assert area is not None
    # A point is under the pointer nearly everywhere in the middle of the map.
    x, y = area["x"] + 0.55 * area["width"], area["y"] + 0.5 * area["height"]
    page.mouse.move(x, y)
    expect(chart.locator(".hoverlayer")).to_contain_text(re.compile(r"\S \(\d+\)"))

    fill(page, "find", "python")
    label = chart.locator(".annotation-text", has_text=re.compile("^python$"))
    expect(label).to_have_count(1)
    expect(chart.locator(".shapelayer path")).to_have_count(10)  # lines to its neighbours

    chart.locator('.modebar-btn[data-val="select"]').click()
    settled(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=4)
    page.mouse.up()
    expect(value(page, "in-region")).to_have_text(re.compile(r"^\d{2,4}$"))
    expect(label).to_have_count(1)
    fill(page, "find", "dog")  # the chart stays as it is, and what is chosen on it
    expect(chart.locator(".annotation-text", has_text=re.compile("^dog$"))).to_have_count(1)
    expect(value(page, "in-region")).to_have_count(1)
    assert_drawn(page, complaints)
