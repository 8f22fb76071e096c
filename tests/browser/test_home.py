"""Home in a real browser: one screen, taps that open pages, Back, and Play."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.live_app import assert_fits_a_phone, box, fill, go, query, settled, value

BANDS, PATHS = ".st-key-chart_bands-1", ".st-key-chart_paths"
CHARTS = (BANDS, ".st-key-chart_bands-2", PATHS)
OVERPRINTED = """() => {
  const texts = [...document.querySelectorAll(".main-svg text, .bx-finding")]
    .filter((text) => text.textContent.trim() && text.getBoundingClientRect().width > 3);
  const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6;
  return boxes.flatMap(([name, box], number) => boxes.slice(number + 1)
    .filter(([, other]) => meet(box, other)).map(([other]) => `${name} / ${other}`));
}"""


def drawn(page: Page, chart: str) -> Locator:
    found = page.locator(f"{chart} .main-svg").first
    expect(found).to_be_visible(timeout=60_000)
    return found


@pytest.mark.parametrize("look", ["", "light"])
def test_it_is_whole_on_the_first_screen(page: Page, look: str) -> None:
    high = 720 if look else 900
    page.set_viewport_size({"width": 1280 if look else 1440, "height": high})
    go(page, f"?present={look}" if look else "")
    for chart in CHARTS:
        picture = box(drawn(page, chart))
        assert picture["y"] + picture["height"] <= high
    expect(value(page, "anchor_1")).to_be_in_viewport()
    if not look:
        assert page.get_by_test_id("stMain").evaluate("e => e.scrollHeight") <= 1500
    assert page.evaluate(OVERPRINTED) == []


def test_on_a_phone_it_is_one_column(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    go(page, "")
    tops = [box(drawn(page, chart))["y"] for chart in CHARTS]
    assert tops == sorted(tops)
    assert tops[0] <= 570
    assert_fits_a_phone(page)
    assert page.evaluate(OVERPRINTED) == []


def test_links_open_the_pages_and_back_comes_back(page: Page) -> None:
    go(page, "")
    fill(page, "a", "In spring the meadow turns green")
    fill(page, "a2", "A spring of steel popped out of the sofa")
    expect(value(page, "word")).to_have_text("spring")
    said = page.locator(".bx-finding").inner_text()
    for name, address, second in (
        ("its sum on Input Embeddings", "Input_Embeddings", "b"),
        ("its path on Word in Context", "Word_in_Context", "a2"),
    ):
        page.get_by_role("link", name=name).click()
        page.wait_for_url(f"**/{address}*")
        settled(page)
        assert (query(page)["a"], query(page)[second]) == (
            "In spring the meadow turns green",
            "A spring of steel popped out of the sofa",
        )
        page.go_back()
        expect(page.locator(".bx-finding")).to_have_text(said)


def test_play_walks_the_steps_in_all_three_pictures(page: Page) -> None:
    go(page, "")
    drawn(page, PATHS)
    step, rail = (page.locator(f"{PATHS} .slider-{part}").first for part in ("label", "rail-rect"))
    expect(page.locator(f"{PATHS} .slider-grip-rect")).to_be_visible()
    area = box(rail)
    page.mouse.click(area["x"] + area["width"] / 10 + 2, area["y"] + 2)
    expect(step).to_have_text("token")
    seen = f"{BANDS} .heatmaplayer image"
    are = "(images, all) => images.map(e => Number(getComputedStyle(e).opacity)).join() === all"
    shown = f"all => ({are})([...document.querySelectorAll('{seen}')], all)"
    page.wait_for_function(shown, arg="1,0,0,0")
    steps = page.locator(f"{PATHS} .js-plotly-plot").evaluate_handle(
        "chart => { const seen = []; chart.on('plotly_animatingframe', e => seen.push(e.name)); "
        "return seen; }"
    )
    page.locator(f"{PATHS} .updatemenu-button").click()
    page.wait_for_function("seen => seen.at(-1) === '10'", arg=steps, timeout=60_000)
    assert steps.json_value() == [str(step) for step in range(11)]
    page.wait_for_function(shown, arg="1,1,1,1")
