"""What Share offers, what is too long for a link, and a frame of another site."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.live_app import CHART, as_new, field, fill, go, query, served, settled

SNAKE = "\N{SNAKE}"


def shared(page: Page) -> list[str]:
    """What the dialog offers to copy: the address, and the HTML of a frame; none if too long."""
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("code, .bx-note").first).to_be_visible()
    settled(page)
    texts = dialog.locator("code").all_text_contents()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    return texts


def test_a_text_of_2000_characters_travels(page: Page) -> None:
    go(page, "Tokens")
    text = "say " + SNAKE * 1_996
    fill(page, "a", text)
    address = shared(page)[0]
    assert dict(parse_qsl(urlsplit(address).query)) == {"a": text}
    fill(page, "a", text + SNAKE)
    assert shared(page) == []
    as_new(page)
    page.goto(address)
    settled(page)
    expect(field(page, "a")).to_have_value(text)


def test_the_address_is_copied_and_its_picture_scanned(page: Page) -> None:
    """A phone is told that this machine is not the phone."""
    go(page, "Tokens?a=I+am+Sinan")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_test_id("stCode").first.hover()
    dialog.get_by_role("button", name="Copy to clipboard").first.click()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    expect(dialog.get_by_role("img", name="QR code of this address")).to_be_visible()
    expect(dialog.locator('bdi[data-name="host"]')).to_have_text("127.0.0.1")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Another site: its address, and the folder of its pages."""
    folder = tmp_path_factory.mktemp("site")
    with served(folder) as port:
        yield f"http://localhost:{port}", folder


def framed(page: Page, site: tuple[str, Path], html: str) -> Frame:
    """The frame on a page of another site, once it has been drawn: finding, picture and way back,
    and nothing else; nothing scrolls sideways or down.
    """
    address, folder = site
    (folder / "page.html").write_text(f"<!doctype html><body style='margin:0'>{html}", "utf-8")
    page.goto(f"{address}/page.html")
    (inner,) = page.frames[1:]
    inner.wait_for_selector(f"{CHART} .main-svg", timeout=60_000)
    inner.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    expect(inner.locator(CHART)).to_have_count(1)
    expect(inner.locator(".bx-finding")).to_be_visible()
    expect(inner.locator(".bx-back")).to_be_in_viewport(ratio=1)
    expect(inner.locator(CHART)).to_be_in_viewport(ratio=0.99)
    for left_out in ("stSidebar", "stHeading", "stTextInput", "stButton", "stExpander"):
        assert all(not one.is_visible() for one in inner.get_by_test_id(left_out).all())
    size = "e => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight]"
    assert inner.get_by_test_id("stMain").evaluate(size) == [0, 0]
    return inner


def test_a_frame_of_another_site(page: Page, site: tuple[str, Path]) -> None:
    go(page, "Nearest_Neighbors?q=dog&guess4=true")
    _, html = shared(page)
    assert 'width="700" height="450"' in html
    inner = framed(page, site, html)
    asked = dict(parse_qsl(urlsplit(inner.url).query))
    assert asked == {"q": "dog", "embed": "true"}
    expect(inner.locator('bdi[data-name="query"]').first).to_have_text("dog")
    with page.context.expect_page() as opened:
        inner.get_by_role("link", name="Open in the BERT embedding explorer").click()
    settled(opened.value)
    assert query(opened.value) == {"q": "dog"}
    expect(field(opened.value, "q")).to_have_value("dog")
    opened.value.close()


@pytest.mark.parametrize("path", ["", "Word_Senses"])
def test_a_narrow_frame(page: Page, site: tuple[str, Path], address: str, path: str) -> None:
    source = f"{address}/{path}?" + urlencode({"embed": "true", "embed_options": "dark_theme"})
    inner = framed(page, site, f'<iframe src="{source}" width="390" height="400" style="border:0">')
    ground = inner.get_by_test_id("stApp").evaluate("e => getComputedStyle(e).backgroundColor")
    assert ground == "rgb(18, 22, 29)"
    drawn = inner.locator(f"{CHART} .main-svg").first
    assert drawn.evaluate("e => getComputedStyle(e).backgroundColor") == ground
