"""A hall: one lecturer on a projector, and phones, on real pages."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.live_app import PHONE, as_new, go, visitor

PhoneOf = Callable[[], Page]
FIRST = "2. A word that is not in the vocabulary is unknown to BERT."


@pytest.fixture
def projector(page: Page) -> Page:
    page.set_viewport_size({"width": 1280, "height": 720})
    return page


@pytest.fixture(scope="module")
def phones(browser: Browser, address: str) -> Iterator[list[Page]]:
    """They stay until the last test has ended."""
    with ExitStack() as stack:
        contexts = [stack.enter_context(visitor(browser, address, **PHONE)) for _ in range(3)]
        yield [context.new_page() for context in contexts]


@pytest.fixture
def phone_of(phones: list[Page]) -> Iterator[PhoneOf]:
    """Another phone at each call; afterwards it has forgotten that it was in a hall."""
    unused = iter(phones)
    yield lambda: next(unused)
    for phone in phones:
        as_new(phone)
        phone.context.clear_cookies()


def opened(projector: Page, stop: str) -> str:
    """Open a hall at a stop; its code."""
    go(projector, f"{stop}&present=1")
    projector.locator(".st-key-hall-open button").click()
    return projector.locator(".bx-hall strong").inner_text()


def press(projector: Page, label: str) -> None:
    projector.get_by_role("button", name=label).click()  # some name their key as well


def answer(phone: Page, label: str) -> None:
    phone.get_by_role("button", name=label, exact=True).tap()
    expect(phone.get_by_text("Thank you.")).to_be_visible()


def has(projector: Page, here: int, answered: int) -> None:
    line = projector.locator(".st-key-hall-line")
    counts = {"here": here, "answered": answered}
    for name, count in counts.items():
        expect(line.locator(f'bdi[data-name="{name}"]')).to_have_text(str(count))


def bars(projector: Page) -> list[list[int]]:
    """What the bars of the answers show, one list a round."""
    chart = projector.locator('[class*="chart_votes"] .js-plotly-plot').last
    expect(chart).to_be_visible()
    return chart.evaluate("chart => chart.data.map(({ text }) => [...text].map(parseFloat))")


def test_before_the_view_and_after(projector: Page, phone_of: PhoneOf) -> None:
    code = opened(projector, "Tokens?tour=2")
    assert re.fullmatch("[B-Z]{4}", code)
    first, second = (phone_of() for _ in range(2))
    for phone in (first, second):
        phone.goto(f"/Hall?hall={code}")
        expect(phone.get_by_text(FIRST)).to_be_visible()
        assert (
            phone.get_by_test_id("stSidebar").count() == 0
            or not phone.get_by_test_id("stSidebar").is_visible()
        )
    has(projector, 2, 0)
    answer(first, "true")
    answer(second, "false")
    has(projector, 2, 2)
    assert projector.locator('[class*="chart_votes"]').count() == 0, "hidden until shown"
    late = phone_of()  # types the code, and in small letters
    late.goto("/Hall")
    late.get_by_role("button", name="Enter").tap()
    expect(late.get_by_role("alert")).to_contain_text("four letters")
    late.get_by_label("The four letters on the screen").fill(code.lower())
    late.get_by_role("button", name="Enter").tap()
    answer(late, "not that simple")
    has(projector, 3, 3)
    press(projector, "Show the answers")
    assert bars(projector) == [[1, 1, 1]]
    press(projector, "Show the view")
    expect(projector.locator('[class*="chart_word-search"]').first).to_be_visible()
    expect(second.get_by_text("right", exact=True)).to_be_visible()
    press(projector, "Ask again")
    for phone in (first, second, late):
        expect(phone.get_by_text("Again, now that you have seen it")).to_be_visible()
        phone.get_by_role("button", name="false", exact=True).tap()
    has(projector, 3, 3)
    press(projector, "Before and after")
    assert bars(projector) == [[1, 1, 1], [0, 3, 0]]
    assert "lecture=" in projector.url, "what was shared does not lead the hall"
    projector.get_by_test_id("stExpandSidebarButton").click()
    projector.get_by_role("button", name="Share", exact=True).click()
    expect(projector.get_by_role("dialog")).to_contain_text("tour=2")
    expect(projector.get_by_role("dialog")).not_to_contain_text("lecture")
    projector.keyboard.press("Escape")
    projector.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    projector.keyboard.press("ArrowRight")  # the clicker
    expect(first.get_by_text("3. The whole embedding layer")).to_be_visible()
    score = first.get_by_text(re.compile("^After seeing the picture"))
    closed = first.get_by_text("The hall is closed.")
    projector.get_by_test_id("stExpandSidebarButton").click()
    press(projector, "Close the hall")
    press(projector, "Yes, close it")
    expect(closed).to_be_visible()
    expect(score).to_have_count(1)  # what was there before may still be there for a moment
    expect(score).to_have_text("After seeing the picture you were right 1 of 1 times.")
    assert "lecture=" not in projector.url
    first.reload()
    expect(first.get_by_label("The four letters on the screen")).to_be_visible()


def test_a_second_click_and_a_way_by_the_sidebar_keep_the_hall(projector: Page) -> None:
    code = opened(projector, "Tokens?tour=2")
    bar = projector.locator(".st-key-tour-bar")
    box = bar.get_by_role("button", name="Show the view").bounding_box()
    assert box
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    expect(bar.get_by_role("button", name="Close the hall")).to_have_count(0)
    projector.mouse.click(*place)
    expect(projector.locator('[class*="chart_word-search"]').first).to_be_visible()
    projector.mouse.click(*place)
    has(projector, 0, 0)
    projector.get_by_test_id("stExpandSidebarButton").click()
    projector.get_by_test_id("stSidebar").get_by_role("link", name="Word Senses").click()
    projector.wait_for_url(re.compile(f"Word_Senses.*lecture={code}"))
    lecture = re.search("lecture=[^&]*", projector.url)
    assert lecture
    again = projector.context.new_page()
    again.goto(f"/Tokens?tour=2&present=1&{lecture[0]}")
    expect(again.locator(".bx-hall strong")).to_have_text(code)
    again.close()


def test_one_vote_a_phone_whatever_it_does(projector: Page, phone_of: PhoneOf) -> None:
    code = opened(projector, "Tokens?tour=2")
    phone = phone_of()
    context = phone.context
    phone.goto("/Hall?hall=QQQQ")
    expect(phone.get_by_role("alert")).to_contain_text("no hall with this code")
    phone.goto(f"/Hall?hall={code}")
    expect(phone.get_by_role("button", name="true", exact=True)).to_be_visible()
    context.set_offline(True)
    phone.get_by_role("button", name="true", exact=True).tap()
    phone.wait_for_timeout(5_000)  # it has tried once more
    context.set_offline(False)  # and it says again what nobody took
    expect(phone.get_by_text("Thank you.")).to_be_visible(timeout=60_000)
    phone.reload()
    expect(phone.get_by_text("Thank you.")).to_be_visible()
    phone.go_back()
    phone.go_forward()
    expect(phone.get_by_text("Thank you.")).to_be_visible()
    other_tab = context.new_page()
    other_tab.goto(f"/Hall?hall={code}")
    expect(other_tab.get_by_text("Thank you.")).to_be_visible()
    has(projector, 1, 1)
    other_tab.close()


def test_a_number(projector: Page, phone_of: PhoneOf) -> None:
    code = opened(projector, "Input_Embeddings?tour=1")
    phone = phone_of()
    phone.goto(f"/Hall?hall={code}")
    field, mine = phone.get_by_placeholder("0 to 100"), phone.get_by_role("button")
    for wrong in ("", "101"):
        field.fill(wrong)
        mine.tap()
    has(projector, 1, 0)
    field.fill("30")
    mine.tap()
    expect(phone.get_by_text("Thank you.")).to_be_visible()
    has(projector, 1, 1)
    press(projector, "Show the answers")
    assert bars(projector) == [[0, 0, 0, 1, *[0] * 6]]
    press(projector, "Show the view")
    expect(projector.locator('[class*="chart_shares"]').first).to_be_visible()
    press(projector, "Show the answers")  # again, and now with the truth
    truth = projector.locator(".st-key-part-hall-truth .js-plotly-plot")
    expect(truth.get_by_text("✓ 70 to 79")).to_be_visible()
