"""Word in Context with a visitor's own sentence: chips mark a word and choose its anchors."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.live_app import field, fill, go, query, settled, value


def chip(page: Page, row: str, word: str) -> Locator:
    """A word of the sentences ("words") or one to compare with ("anchors")."""
    return page.get_by_role("listbox", name=row, exact=True).get_by_role(
        "option", name=word, exact=True
    )


def test_a_tap_follows_a_word_in_every_sentence_and_another_changes_an_anchor(page: Page) -> None:
    go(page, "Word_in_Context")
    expect(field(page, "anchors")).to_have_value("snake, programming")
    expect(chip(page, "words-a", "python")).to_have_attribute("aria-selected", "true")
    chip(page, "words-a", "love").click()
    expect(chip(page, "words-a2", "love")).to_have_attribute("aria-selected", "true")
    expect(field(page, "anchors")).to_have_value("")
    settled(page)
    assert query(page) == {"word": "love, python"}
    # Brackets come first, and a tap takes them away.
    fill(page, "a", "I love my [pet] python")
    expect(chip(page, "words-a", "pet")).to_have_attribute("aria-selected", "true")
    chip(page, "words-a", "python").click()
    expect(field(page, "a")).to_have_value("I love my pet python")
    expect(chip(page, "words-a", "python")).to_have_attribute("aria-selected", "true")
    # Without anchors the word is compared with itself; nouns near the sentences are a tap away.
    fill(page, "a", "The pipes were made of lead")
    fill(page, "a2", "Our team took the lead")
    expect(field(page, "anchors")).to_have_value("")
    expect(value(page, "cosine")).to_have_text(re.compile(r"0\.\d\d"))
    settled(page)
    expect(page.locator(".st-key-chart_paths .js-plotly-plot")).to_have_count(1)
    expect(page.locator(".st-key-chart_plane")).to_have_count(0)
    chip(page, "anchors", "copper").click()
    expect(field(page, "anchors")).to_have_value("copper")
    chip(page, "anchors", "victory").click()
    expect(field(page, "anchors")).to_have_value("copper, victory")
    expect(value(page, "anchor_1")).to_have_text("copper")
    expect(value(page, "anchor_2")).to_have_text("victory")
    settled(page)
    plane = page.locator(".st-key-chart_plane .js-plotly-plot")
    expect(plane).to_have_count(1)
    expect(plane).to_contain_text("similarity to copper")
    assert query(page)["anchors"] == "copper, victory"
    # They go along to Home, which compares the same.
    page.get_by_role("link", name="Home").click()
    expect(field(page, "anchors")).to_have_value("copper, victory")
    expect(value(page, "anchor_1")).to_have_text("copper")


def test_one_slider_moves_everything(page: Page) -> None:
    go(page, "Word_in_Context?layer=2")
    plane = page.locator(".st-key-chart_plane")
    layer = plane.locator(".slider-label").first
    matrix = page.locator(".st-key-chart_matrix")
    own = page.get_by_role("slider", name="Layer").first
    expect(layer).to_have_text("Layer 2")
    expect(page.locator(".st-key-part-slim-plane-layer")).to_have_css("position", "absolute")
    cells = matrix.locator(".hm text").all_text_contents()
    plane.locator(".js-plotly-plot").evaluate("chart => (chart.before = true)")
    plane.locator(".slider-rail-touch-rect").click(position={"x": 8, "y": 8})
    expect(layer).to_have_text("Layer 0")
    expect(matrix).to_contain_text("layer 0")
    assert matrix.locator(".hm text").all_text_contents() != cells
    # The page's own slider, and with it the tables and the address, where this one came to rest.
    expect(own).to_have_value("0")
    page.wait_for_url("**/*layer=0")
    settled(page)
    expect(layer).to_have_text("Layer 0")
    for _ in range(10):  # a click on a chart that is just being drawn is lost
        if layer.text_content() != "Layer 0":
            break
        plane.locator(".updatemenu-button").click()
        page.wait_for_timeout(500)
    expect(layer).to_have_text("Layer 6")
    expect(plane.locator(".textpoint")).to_have_text(["1", "2"])  # at the ends of the paths
    expect(plane.locator(".legendtext")).to_contain_text(["1 · ", "2 · "])
    expect(own).to_have_value("6")
    page.wait_for_url("**/Word_in_Context")
    settled(page)
    # The keyboard moves the page's own slider, and the chart follows: it was not drawn anew.
    own.focus()
    expect(page.locator(".st-key-part-slim-plane-layer")).not_to_have_css("position", "absolute")
    own.press("ArrowLeft")
    expect(layer).to_have_text("Layer 5")
    expect(matrix).to_contain_text("layer 5")
    assert plane.locator(".js-plotly-plot").evaluate("chart => chart.before")
