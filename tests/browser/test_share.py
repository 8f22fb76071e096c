"""Share and Embed: what they copy, what is too long for a link, and a frame of another site."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from tests.live_app import CHART, field, fill, go, query, settled

PASTE = "navigator.clipboard.readText()"
SNAKE = "\N{SNAKE}"


def press(page: Page, name: str) -> str:
    """Press a button of the group; what it says then."""
    group = page.get_by_role("group", name="Share this view")
    group.get_by_role("button", name=name, exact=True).click()
    status = group.get_by_role("status")
    expect(status).not_to_be_empty()
    return status.inner_text()


def test_a_text_of_2000_characters_travels(page: Page, browser: Browser) -> None:
    go(page, "Tokens")
    text = "say " + SNAKE * 1_996
    fill(page, "a", text)
    assert press(page, "Share").startswith("Copied")
    copied = page.evaluate(PASTE)
    assert dict(parse_qsl(urlsplit(copied).query)) == {"a": text}
    other = browser.new_context().new_page()
    other.goto(copied)
    settled(other)
    expect(field(other, "a")).to_have_value(text)
    other.context.close()
    fill(page, "a", text + SNAKE)
    page.evaluate("navigator.clipboard.writeText('before')")
    said = press(page, "Share")
    assert said.startswith("Not copied")
    assert "2,001" in said
    assert "Text A" in said
    assert page.evaluate(PASTE) == "before"
    assert press(page, "Embed").startswith("Not copied")


def test_without_the_right_to_the_clipboard(page: Page) -> None:
    """As on a page that came by plain http."""
    go(page, "Tokens?a=I+am+Sinan")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.evaluate("window.tried = 0; document.execCommand = () => ++window.tried > 0; 0")
    assert press(page, "Share").startswith("Copied")
    assert page.evaluate("window.tried") == 1
    page.evaluate("document.execCommand = () => false; 0")
    assert press(page, "Share").startswith("Copy it from here")
    shown = page.get_by_role("textbox", name="Address of this view")
    expect(shown).to_have_value(page.url)
    assert page.evaluate("getSelection().toString()") in (page.url, "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Another site: its address, and the folder of its pages."""
    folder = tmp_path_factory.mktemp("site")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}", folder
    server.shutdown()


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
    assert press(page, "Embed").startswith("Copied")
    html = page.evaluate(PASTE)
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
