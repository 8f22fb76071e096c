"""The README's moving picture, from the real app: `make screenshots`.

A sentence is typed on Input Embeddings and its heatmaps follow; then the plane of two anchors on
Word in Context plays through the layers.
"""

import io
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Page

from benchmarks.app_server import ROOT
from tests.live_app import CHART, field, go, settled

FILE = ROOT / "docs" / "explorer.webp"
WINDOW, SHOWN = (1440, 900), (1080, 675)  # pixels
WORDS = "I love my pet python".split()
PLANE = {"a": "I love my pet [python]", "anchors": "snake, programming"}
KEY, PAUSE, LOOK = 90, 700, 2_500  # milliseconds: between keys, after a word, at a result
STEP, PLAYED = 100, 7_500  # milliseconds: between pictures of what moves, and how long it moves
QUALITY = 72
Frame = tuple[Image.Image, int]  # one picture and how long it is shown, in milliseconds


def main(browser: Browser, address: str) -> Path:
    """Write the picture; gives its file."""
    width, height = WINDOW
    context = browser.new_context(
        base_url=address, viewport={"width": width, "height": height}, color_scheme="light"
    )
    page = context.new_page()
    frames = [*typed(page), *played(page)]
    context.close()
    (first, *rest), shown_for = zip(*frames, strict=True)
    first.save(  # begins again; its encoder joins frames that are equal
        FILE,
        format="WEBP",
        save_all=True,
        append_images=rest,
        duration=list(shown_for),
        loop=0,
        quality=QUALITY,
        method=6,
        minimize_size=True,
    )
    return FILE


def typed(page: Page) -> list[Frame]:
    """A sentence, key by key, and its heatmaps after every word."""
    go(page, f"Input_Embeddings?{urlencode({'a': WORDS[0]})}")
    page.wait_for_selector(f"{CHART} svg")
    shown(page)
    text = field(page, "a")
    text.click()
    page.keyboard.press("End")
    frames = [(look(page), PAUSE)]
    for word in WORDS[1:]:
        for key in f" {word}":
            page.keyboard.type(key)
            page.wait_for_selector(f"{CHART} .heatmaplayer image")
            frames.append((look(page), KEY))
        shown(page)
        frames.append((look(page), PAUSE))
    return [*frames, (frames[-1][0], LOOK)]


def played(page: Page) -> list[Frame]:
    """Two paths through the layers, at the page's own pace: on a clock that waits for pictures."""
    page.clock.install()
    go(page, f"Word_in_Context?{urlencode(PLANE)}")
    play = page.locator(f"{CHART} .updatemenu-button").first
    play.wait_for()
    shown(page)
    frames = [(look(page), LOOK)]
    page.clock.pause_at(page.evaluate("Date.now()") + 2_000)
    play.click()
    for _ in range(0, PLAYED, STEP):
        page.clock.run_for(STEP)
        frames.append((look(page), STEP))
    return [*frames, (frames[-1][0], LOOK)]


def shown(page: Page) -> None:
    """Wait for what follows a pause in typing, and until charts and tables are drawn."""
    page.wait_for_timeout(1_000)
    settled(page)
    page.wait_for_timeout(1_000)


def look(page: Page) -> Image.Image:
    """The window, as large as it will be shown."""
    # As JPEG: taken twice as fast, so that what moves is smooth.
    taken = Image.open(io.BytesIO(page.screenshot(type="jpeg", quality=95, caret="initial")))
    return taken.convert("RGB").resize(SHOWN, Image.Resampling.LANCZOS)
