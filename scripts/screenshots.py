"""Pictures of every page for the README, and its moving picture, from the real app.

`make screenshots`. In the moving picture a sentence is typed on Input Embeddings and its heatmaps
follow; then the plane of two anchors on Word in Context plays through the layers.
"""

import io
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, ViewportSize

from benchmarks.app_server import ROOT
from tests.live_app import CHART, PAGES, field, go, running_app, running_browser, settled

PICTURES = ROOT / "docs"
# Names of the files, and addresses; the map of the token table is the picture of its page.
VIEWS = {path.lower().replace("_", "-") or "home": path for path in PAGES if path != "Methods"}
VIEWS["nearest-neighbors"] += "?q="

WINDOW: ViewportSize = {"width": 1440, "height": 900}
SIZE = (1080, 675)  # of the moving picture, in pixels
WORDS = "I love my pet python".split()
PLANE = {"a": "I love my pet [python]", "anchors": "snake, programming"}
KEY = 90  # milliseconds between keys
PAUSE = 700  # after a word
LOOK = 2_500  # at a result
STEP = 100  # between pictures of what moves
MOVES = 7_500  # how long it moves
Frame = tuple[Image.Image, int]  # one picture and how long it is shown, in milliseconds


def main() -> None:
    """Write docs/NAME.png and docs/explorer.webp."""
    with running_app() as address, running_browser() as browser:
        page = browser.new_page(base_url=address, viewport=WINDOW, color_scheme="light")
        for name, path in VIEWS.items():
            go(page, path)
            page.wait_for_selector(f"{CHART} svg", timeout=60_000)
            settled(page)
            page.wait_for_timeout(2_000)  # tables are drawn last
            file = PICTURES / f"{name}.png"
            page.screenshot(path=file, animations="disabled")
            print(file.relative_to(ROOT))
        write_moving([*typed(page), *played(page)], PICTURES / "explorer.webp")


def write_moving(frames: list[Frame], file: Path) -> None:
    """Write the moving picture, which begins again; its encoder joins frames that are equal."""
    (first, *rest), durations = zip(*frames, strict=True)
    first.save(
        file,
        format="WEBP",
        save_all=True,
        append_images=rest,
        duration=list(durations),
        loop=0,
        quality=72,
        method=6,
        minimize_size=True,
    )
    print(file.relative_to(ROOT))


def typed(page: Page) -> list[Frame]:
    """A sentence, key by key, and its heatmaps after every word."""
    go(page, f"Input_Embeddings?{urlencode({'a': WORDS[0]})}")
    page.wait_for_selector(f"{CHART} svg")
    wait(page)
    field(page, "a").click()
    page.keyboard.press("End")
    frames = [(look(page), PAUSE)]
    for word in WORDS[1:]:
        for key in f" {word}":
            page.keyboard.type(key)
            page.wait_for_selector(f"{CHART} .heatmaplayer image")
            frames.append((look(page), KEY))
        wait(page)
        frames.append((look(page), PAUSE))
    return [*frames, (frames[-1][0], LOOK)]


def played(page: Page) -> list[Frame]:
    """Two paths through the layers, at the page's own pace: on a clock that waits for pictures."""
    page.clock.install()
    go(page, f"Word_in_Context?{urlencode(PLANE)}")
    play = page.locator(f"{CHART} .updatemenu-button").first
    play.wait_for()
    wait(page)
    frames = [(look(page), LOOK)]
    page.clock.pause_at(page.evaluate("Date.now()") + 2_000)
    play.click()
    for _ in range(0, MOVES, STEP):
        page.clock.run_for(STEP)
        frames.append((look(page), STEP))
    return [*frames, (frames[-1][0], LOOK)]


def wait(page: Page) -> None:
    """Wait for what follows a pause in typing, and until charts and tables are drawn."""
    page.wait_for_timeout(1_000)
    settled(page)
    page.wait_for_timeout(1_000)


def look(page: Page) -> Image.Image:
    """The window, as large as it will be shown."""
    # As JPEG: taken twice as fast, so that what moves is smooth.
    image = Image.open(io.BytesIO(page.screenshot(type="jpeg", quality=95, caret="initial")))
    return image.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main()
