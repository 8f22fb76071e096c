"""The app in a real browser: typing, links, Back, shared addresses, themes, a narrow screen."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.live_app import CHART, ROOT, field, fill, go, running_app, settled, ticks
from tests.standin_hub import REPO, REVISION, standin_hub

PAGES = ["Home", *(path.stem.partition("_")[2] for path in sorted((ROOT / "pages").glob("*.py")))]


@pytest.mark.parametrize("path", ["", "Tokens", "Word_Senses"])
def test_a_deep_link_on_a_fresh_server(page: Page, path: str, tmp_path: Path) -> None:
    """The first request a server gets may be for any page; also where a model is downloaded."""
    with running_app(HF_HUB_CACHE=str(tmp_path / "hub")) as fresh:
        page.goto(f"{fresh}/{path}")
        settled(page)
        assert page.locator('[data-testid="stException"]').count() == 0
        expect(page.locator('[data-testid="stSidebar"]')).to_contain_text("Word in Context")
        expect(page.locator("body")).not_to_contain_text("Page not found")
        assert page.locator(".bx-alert").count() == 0


def test_typing_changes_the_heatmaps(page: Page) -> None:
    go(page, "Input_Embeddings")
    expect(page.locator(f"{CHART} .ytick text")).to_have_text(
        ["0 [CLS]", "1 i", "2 love", "3 my", "4 pet", "5 python", "6 [SEP]"]
    )
    assert page.locator(f"{CHART} .hm image").count() == 5
    fill(page, "a", "Sinan loves a beautiful day")
    expect(page.locator(f"{CHART} .ytick text").nth(2)).to_have_text("2 ##an")
    assert page.locator(f"{CHART} .hm image").count() == 5
    assert urlsplit(page.url).query == "a=Sinan+loves+a+beautiful+day"
    expect(page.locator(".bx-token").nth(1)).to_contain_text("sin")
    expect(page.locator(".bx-token").nth(1)).to_contain_text("8254")


def test_six_hundred_words_are_drawn_and_the_cut_is_said(page: Page) -> None:
    go(page, "Input_Embeddings")
    fill(page, "a", "word " * 600)
    expect(page.locator(".bx-note")).to_contain_text("602 tokens")
    expect(page.locator(".bx-note")).to_contain_text("90 were left out")
    expect(page.locator(f"{CHART} .imagelayer .im image, {CHART} .im image")).to_have_count(5)


def test_the_proof_by_one_click(page: Page) -> None:
    go(page, "Input_Embeddings")
    proof = page.locator(".st-key-prove button, .bx-finding:has-text('Largest absolute')")
    expect(proof.first).to_be_visible()
    # Another test of this server may have loaded the encoder: then the proof is there by itself.
    if page.locator(".st-key-prove button").count():
        page.locator(".st-key-prove button").click()
    expect(page.locator(".bx-finding").last).to_contain_text(
        "Largest absolute difference over 2,688 numbers", timeout=60_000
    )
    expect(page.locator(".bx-finding").last).to_contain_text("Rounding, nothing else")


def test_searching(page: Page) -> None:
    go(page, "Nearest_Neighbors")
    expect(page.locator(".bx-finding")).to_contain_text("queen")
    expect(page.locator(f"{CHART} .ytick text").first).to_have_text("queen")
    fill(page, "q", "dog")
    expect(page.locator(f"{CHART} .ytick text").first).to_have_text("dogs")
    fill(page, "q2", "##ing")
    expect(page.locator(".bx-query")).to_have_text(["dog", "##ing"])
    expect(page.locator(CHART)).to_have_count(4)
    fill(page, "q2", "##nosuchpiece")
    expect(page.locator(".bx-alert")).to_contain_text("has no piece “##nosuchpiece”")
    expect(page.locator(CHART)).to_have_count(2)


def test_comparing_a_word_in_two_sentences(page: Page) -> None:
    go(page, "Word_in_Context")
    finding = page.locator(".bx-finding")
    expect(finding).to_contain_text("nearest to snake (0.507", timeout=60_000)
    expect(finding).to_contain_text("nearest to programming (0.408")
    fill(page, "s", "The [bank] of the river\nThe [bank] gave me a loan")
    fill(page, "anchors", "shore, money")
    expect(finding).to_contain_text("The bank gave me a loan")
    expect(finding).to_contain_text("money")
    expect(page.locator(CHART)).to_have_count(4)
    slider = page.locator(".st-key-layer input[type=range]")
    slider.press("ArrowLeft")
    expect(finding).to_contain_text("At layer 5")
    assert "layer=5" in page.url


SHARED = {
    "Input_Embeddings": {
        "a": "I am Sinan",
        "b": "She is Zoe",
        "dims": "most variable",
        "variable": "20",
        "scale": "one for all",
        "token": "3",
    },
    "Nearest_Neighbors": {
        "q": "##ing",
        "q2": "king - man + woman",
        "metric": "Euclidean",
        "keep": "subwords",
        "k": "15",
        "unused": "true",
    },
    "Word_in_Context": {
        "s": "A [bat] flew\nHe swung the [bat]",
        "anchors": "animal",
        "pooling": "max",
        "layer": "2",
    },
}


@pytest.mark.parametrize("path", SHARED)
def test_a_shared_address_restores_the_page(
    page: Page, browser: Browser, address: str, path: str
) -> None:
    query = "&".join(f"{key}={quote(text)}" for key, text in SHARED[path].items())
    fresh = browser.new_page(base_url=address)
    seen = []
    for opened in (fresh, page):
        go(opened, f"{path}?{query}")
        expect(opened.locator(f"{CHART} .ytick text").first).to_be_visible(timeout=60_000)
        for key, text in SHARED[path].items():
            assert f"{key}=" in opened.url, f"{key} was dropped from the address"
            if opened.locator(f".st-key-{key} input[type=text], .st-key-{key} textarea").count():
                expect(field(opened, key)).to_have_value(text)
            elif opened.locator(f".st-key-{key} input[type=range]").count():
                expect(opened.locator(f".st-key-{key} input[type=range]")).to_have_value(text)
            elif opened.locator(f".st-key-{key} input[type=checkbox]").count():
                expect(opened.locator(f".st-key-{key} input[type=checkbox]")).to_be_checked()
            else:
                pressed = opened.locator(f'.st-key-{key} [aria-checked="true"]')
                expect(pressed).to_have_text(text)
        seen.append((opened.url, ticks(opened)))
        query = urlsplit(opened.url).query  # what the first viewer would share
    fresh.close()
    assert seen[0] == seen[1]


def test_back_returns_to_what_was_typed(page: Page) -> None:
    go(page, "")
    page.get_by_role("link", name="Input Embeddings", exact=True).click()
    settled(page)
    fill(page, "a", "the cat sat")
    typed = page.url
    page.get_by_role("link", name="Nearest Neighbors", exact=True).click()
    settled(page)
    fill(page, "q", "dog")
    searched = page.url
    page.go_back()
    settled(page)
    assert page.url == typed
    expect(page.locator(".st-key-a input")).to_have_value("the cat sat")
    expect(page.locator(f"{CHART} .ytick text").nth(2)).to_have_text("2 cat")
    page.go_forward()
    settled(page)
    assert page.url == searched
    expect(page.locator(".st-key-q input")).to_have_value("dog")
    page.go_back()
    page.go_back()
    settled(page)
    assert urlsplit(page.url).path == "/"
    expect(page.locator("h1")).to_contain_text("See BERT")


def test_inputs_survive_a_change_of_page(page: Page) -> None:
    go(page, "Input_Embeddings")
    fill(page, "a", "the cat sat")
    page.get_by_role("link", name="Home", exact=True).click()
    settled(page)
    page.get_by_role("link", name="Input Embeddings", exact=True).click()
    settled(page)
    expect(field(page, "a")).to_have_value("the cat sat")
    assert "a=the+cat+sat" in page.url


def test_a_prepared_link_wins_over_what_stands_there(page: Page) -> None:
    go(page, "Nearest_Neighbors?q=cat&metric=dot")
    page.get_by_role("link", name="dog", exact=True).click()
    page.wait_for_url("**/Nearest_Neighbors?q=dog")
    settled(page)
    expect(field(page, "q")).to_have_value("dog")
    assert urlsplit(page.url).query == "q=dog"
    expect(page.locator(f"{CHART} .ytick text").first).to_have_text("dogs")
    page.go_back()
    settled(page)
    expect(field(page, "q")).to_have_value("cat")
    assert "metric=dot" in page.url


def test_links_of_home_lead_to_their_views(page: Page) -> None:
    """One for each page; test_pages.py opens every one of them without a browser."""
    go(page, "")
    # The last rows of links on the page.
    expect(page.locator(".bx-links a").last).to_be_visible()
    expect(page.get_by_role("link", name="bank, river and money")).to_be_visible()
    links = page.locator(".bx a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    examples = {urlsplit(link).path: link for link in links if urlsplit(link).query}
    assert len(examples) >= 3
    for link in examples.values():
        go(page, link)
        assert page.locator(".bx-alert").count() == 0
        expect(page.locator(CHART).first).to_be_visible(timeout=60_000)
        wanted = urlsplit(link).query
        # A value that is the default is left out of the address.
        assert set(parse_qsl(urlsplit(page.url).query)) <= set(parse_qsl(wanted))


HOSTILE = [
    '<img src=x onerror="window.pwned=1"><b>bold</b>',
    "![x](http://127.0.0.1:1/x.png) [l](javascript:window.pwned=1) **b** `c` $x^2$ :smile:",
    "שלום مرحبا 我 🐍 e\u0301",
    "a\u202eb \x07 \ud83d",
    "</bdi></div><style>*{display:none}</style>",
]


@pytest.mark.parametrize(
    ("path", "key", "line"),
    [
        ("Input_Embeddings", "a", "{}"),
        ("Nearest_Neighbors", "q", "{}"),
        ("Word_in_Context", "s", "{} [python]\n[python] code"),
    ],
)
def test_text_is_data(page: Page, path: str, key: str, line: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    go(page, path)
    main = page.locator('[data-testid="stMain"]')
    for text in HOSTILE:
        fill(page, key, line.format(text))
        expect(page.locator("h1")).to_be_visible()
        assert page.evaluate("window.pwned") is None
        assert (
            main.locator('img[src="x"], a[href^="javascript"], a[href*="127.0.0.1:1"]').count() == 0
        )
        assert main.locator(".bx b b, .bx-token b, .katex").count() == 0
        assert page.locator('[data-testid="stException"]').count() == 0
    assert not [url for url in asked if "x.png" in url]


def test_labels_of_tokens_are_literal(page: Page) -> None:
    go(page, "Input_Embeddings?" + "a=" + quote("a <b> & &lt; b"))
    expect(page.locator(f"{CHART} .ytick text")).to_have_text(
        ["0 [CLS]", "1 a", "2 <", "3 b", "4 >", "5 &", "6 &", "7 lt", "8 ;", "9 b", "10 [SEP]"]
    )


def test_a_phone_goes_from_page_to_page_and_nothing_scrolls_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    go(page, "Tokens")
    for name in PAGES:
        page.get_by_test_id("stExpandSidebarButton").click()
        page.get_by_role("link", name=name.replace("_", " "), exact=True).click()
        page.wait_for_url("**/" if name == "Home" else f"**/{name}")
        settled(page)
        if name not in ("Home", "Tokens"):
            expect(page.locator(CHART).first).to_be_visible(timeout=60_000)
        wide, shown = page.locator('[data-testid="stMain"]').evaluate(
            "e => [e.scrollWidth, e.clientWidth]"
        )
        assert wide <= shown == 390, name
        for chart in page.locator(CHART).all():
            box = chart.bounding_box()
            assert box is not None
            assert box["x"] >= 0, name
            assert box["x"] + box["width"] <= 390, name


def luminance(color: str) -> float:
    channels = [int(c) / 255 for c in re.findall(r"\d+", color)[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_switching_to_dark_keeps_labels_readable(page: Page) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        go(page, "Input_Embeddings")
        background = page.locator('[data-testid="stApp"]').evaluate(
            "e => getComputedStyle(e).backgroundColor"
        )
        assert (luminance(background) < 0.1) == (scheme == "dark")
        for part in (".ytick text", ".xtitle", ".annotation-text", ".cbaxis text"):
            if part == ".cbaxis text":
                go(page, "Word_in_Context")
            expect(page.locator(f"{CHART} {part}").first).to_be_visible()
            color = page.locator(f"{CHART} {part}").first.evaluate("e => getComputedStyle(e).fill")
            bright, dim = sorted((luminance(color), luminance(background)), reverse=True)
            assert (bright + 0.05) / (dim + 0.05) >= 4.5, f"{part} in {scheme}: {color}"


@pytest.mark.parametrize(
    ("button", "ending"), [(".save-svg", ".svg"), ("[data-title*=PNG]", ".png")]
)
def test_the_charts_menu_saves(page: Page, button: str, ending: str, tmp_path: Path) -> None:
    go(page, "Nearest_Neighbors")
    chart = page.locator(CHART).first
    chart.hover()
    with page.expect_download() as download:
        chart.locator(f".modebar-btn{button}:visible").first.click()
    assert download.value.suggested_filename == f"neighbors-1{ending}"
    saved = tmp_path / "saved"
    download.value.save_as(saved)
    content = saved.read_bytes()
    assert content.startswith(b"<svg" if ending == ".svg" else b"\x89PNG")
    if ending == ".svg":
        assert b"queen" in content


def test_the_table_is_saved_as_csv(page: Page, tmp_path: Path) -> None:
    go(page, "Nearest_Neighbors")
    with page.expect_download() as download:
        page.get_by_role("button", name="Table as CSV").first.click()
    saved = tmp_path / "saved.csv"
    download.value.save_as(saved)
    header, first, *_ = saved.read_text(encoding="utf-8-sig").splitlines()
    assert header.startswith("rank,token,token id,cosine similarity,percentile,mean-centred,")
    assert first.startswith("1,queen,3035,0.51")


def test_a_model_is_downloaded_by_a_click(page: Page, tiny_folder: Path, tmp_path: Path) -> None:
    """Offered, not ready, shown meanwhile on the embedded one, fetched, used; then broken off."""
    with (
        standin_hub(tiny_folder) as hub,
        running_app(
            HF_HUB_CACHE=str(tmp_path / "hub"),
            HF_ENDPOINT=hub.endpoint,
            BERTVIZ_MODELS=f"fetched={REPO}@{REVISION}",
        ) as url,
    ):
        hub.status["*"] = 503
        page.goto(f"{url}/Input_Embeddings?model=fetched")
        settled(page)
        expect(page.locator(".bx-note")).to_contain_text("fetched is not on this machine yet")
        expect(page.locator(".bx-note")).to_contain_text("shows all-MiniLM-L6-v2 meanwhile")
        expect(page.locator(f"{CHART} .ytick text").first).to_have_text("0 [CLS]")
        page.get_by_role("button", name="Download fetched").click()
        expect(page.locator(".bx-alert")).to_contain_text("cannot send fetched at the moment")
        expect(page.locator(f"{CHART} .ytick text").first).to_have_text("0 [CLS]")
        hub.status.clear()
        page.get_by_role("button", name="Try again").click()
        expect(page.locator('[data-testid="stSidebar"]')).to_contain_text(
            "2 layers; downloaded by this app"
        )
        expect(page.locator(".bx-note")).to_have_count(0)
        assert "model=fetched" in page.url
