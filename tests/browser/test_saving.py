"""Pictures to take home."""

from base64 import b64decode, b64encode
from collections.abc import Callable
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageSequence
from playwright.sync_api import Locator, Page, expect

from bertviz_core.views.word_senses.map_figure import LINES
from tests.live_app import go, settled

TITLES = "all => all.map(e => e.dataset.title)"

# Letters of a picture that lie outside of it, in a page that has no font of ours.
OUTSIDE = """svg => {
    const whole = svg.getBoundingClientRect();
    const isOutside = (box) => box.width > 0 && (box.left < whole.left || box.right > whole.right ||
        box.top < whole.top || box.bottom > whole.bottom + 1);
    return [...svg.querySelectorAll("text")]
        .filter((text) => text.textContent.trim() && isOutside(text.getBoundingClientRect()))
        .map((text) => text.textContent);
}"""

# Pictures, [width, height, their bytes as base64] each, as the bytes of a GIF, which are few.
AS_GIF = """async (pictures) => {
    const each = async function* () {
        for (const [width, height, bytes] of pictures) {
            const colors = Uint8ClampedArray.from(Uint8Array.fromBase64(bytes));
            yield [new ImageData(colors, width, height), 20];
        }
    };
    return new Uint8Array(await (await window.bertvizGif(each())).arrayBuffer()).toBase64();
}"""
PLANE = "Word_in_Context?a=I+love+my+pet+%5Bpython%5D"


@pytest.fixture
def saved(page: Page, tmp_path: Path) -> Callable[[Locator], tuple[str, bytes]]:
    def save(button: Locator) -> tuple[str, bytes]:
        with page.expect_download() as download:
            button.first.click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path.name, path.read_bytes()

    return save


def test_a_chart_as_svg_and_png(page: Page, saved: Callable[[Locator], tuple[str, bytes]]) -> None:
    go(page, "Nearest_Neighbors?q=%3Cb%3E+-+man+%2B+king")
    settled(page)
    chart = page.locator(".st-key-chart_neighbors-1")
    chart.hover(position={"x": 4, "y": 4})  # on no bar
    expect(chart.locator("[data-title]").first).to_be_attached()
    titles = " ".join(chart.locator("[data-title]").evaluate_all(TITLES))
    assert "Download plot" in titles
    assert "hare" not in titles, "nothing uploads a chart to another host"
    assert "loud" not in titles
    file = "nearest-neighbors_neighbors-1_all-MiniLM-L6-v2_b-man-+-king"
    name, svg = saved(chart.locator(".modebar-btn[data-format=svg]:visible"))
    assert name == f"{file}.svg"
    name, png = saved(chart.locator(".modebar-btn[data-title*=PNG]:visible"))
    assert name == f"{file}.png"
    assert png.startswith(b"\x89PNG")
    with page.context.new_page() as alone:
        alone.set_content(f"<body>{svg.decode()}</body>")
        assert alone.locator("svg").first.evaluate(OUTSIDE) == []


@pytest.mark.parametrize(
    ("path", "chart", "scheme"),
    [
        (f"{PLANE}&anchors=snake,+programming&present=dark", "plane", "light"),
        ("Word_Senses?set=bat&near=7", "senses-pca", "dark"),
    ],
)
def test_a_chart_that_plays_as_a_gif_of_its_layers(
    page: Page, saved: Callable[[Locator], tuple[str, bytes]], path: str, chart: str, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    go(page, path)
    expect(page.locator("[data-format=gif]")).to_have_count(1)
    plays = page.locator(f".st-key-chart_{chart}")
    if chart == "senses-pca":  # lines to the nearest occurrences, drawn a moment later
        expect(plays.locator(".shapelayer path").nth(1)).to_be_attached()
    plays.hover(position={"x": 4, "y": 4})
    name, png = saved(plays.locator(".modebar-btn[data-title*=PNG]:visible"))
    name_of_gif, gif = saved(plays.locator("[data-format=gif]:visible"))
    assert name_of_gif == name.replace(".png", ".gif")
    assert plays.locator("[data-format=gif]").inner_text() == "GIF"
    *before, last = pictures_of(gif)
    assert len(before) == 6  # the input and five layers
    of_last = np.asarray(Image.open(BytesIO(png)).convert("RGB"))
    assert differ(last, of_last) < 0.01
    color = ImageColor.getrgb(LINES)  # of lines that are those of the layer in view
    lines = [(picture == color).all(axis=2).any() for picture in (of_last, last)]
    assert lines == [chart == "senses-pca", False]
    for one, other in pairwise([*before, last]):
        assert differ(one, other) > 0.003


def test_a_gif_holds_all_pixels_of_256_colors(page: Page) -> None:
    go(page, "Methods")
    rng = np.random.default_rng(0)
    palette = rng.integers(256, size=(256, 3), dtype=np.uint8)
    noise, plain = rng.integers(256, size=(150, 211)), np.zeros((150, 211), dtype=int)
    numbers = [noise, plain, np.where(noise < 9, noise, plain)]
    given = [palette[number] for number in numbers]
    rgba = [np.insert(one, 3, 255, axis=2) for one in given]
    gif = page.evaluate(AS_GIF, [[211, 150, b64encode(one.tobytes()).decode()] for one in rgba])
    for shown, expected in zip(pictures_of(b64decode(gif)), given, strict=True):
        np.testing.assert_array_equal(shown, expected)


def pictures_of(gif: bytes) -> list[NDArray[np.uint8]]:
    each = ImageSequence.Iterator(Image.open(BytesIO(gif)))
    return [np.asarray(picture.convert("RGB")) for picture in each]


def differ(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """The share of pixels of two pictures that a viewer would tell apart."""
    return float((np.abs(one.astype(int) - other).max(axis=2) > 24).mean())
