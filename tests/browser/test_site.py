"""The site of `make site`: built once, then read in both looks, wide and on a phone."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from bertviz_core.views.declare import all_sections
from bertviz_core.views.docs import methods, questions
from tests.accessibility import violations
from tests.headless import ROOT, SCRIPTS, html, open_page
from tests.live_app import served

pytestmark = pytest.mark.slow
LOOKS = [("light", 1440), ("dark", 390)]
# Of pages that are made alike one is looked at.
ALIKE = ("docs/[lmq]*", "answers/what-do-typos*", "reference/*layer", "_modules/*/bert")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""
    source, made = (tmp_path_factory.mktemp("site") / name for name in ("source", "site"))
    strict = ("--fail-on-warning", "--keep-going", "--quiet")
    for command in (("scripts.site", source), ("sphinx", *strict, source, made)):
        subprocess.run([sys.executable, "-m", *map(str, command)], cwd=ROOT, check=True)
    return made


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Its address: from the disk a browser lets no search show what it found."""
    with served(site) as port:
        yield f"http://127.0.0.1:{port}"


class Links(HTMLParser):
    """What a page links to, and the places on it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.targets, self.ids = set[str](), {""}
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src"):
                self.targets.add(value or "")
            elif name == "id":
                self.ids.add(value or "")


def test_no_link_leads_nowhere(site: Path) -> None:
    pages = (file for file in site.rglob("*.html") if "_static" not in file.parts)
    read = {file: Links(file) for file in pages}
    for file, links in read.items():
        for target in map(urlsplit, links.targets):
            if not target.scheme:
                found = (file.parent / unquote(target.path)).resolve() if target.path else file
                assert found.is_file(), (file, target)
                assert unquote(target.fragment) in read.get(found, links).ids, (file, target)


def test_everything_is_there_and_plotly_once(site: Path) -> None:
    gallery = [*site.glob("gallery/*.html")]
    cards = (site / "gallery" / "index.html").read_text(encoding="utf-8").count("sd-card-body")
    assert cards == len(all_sections())
    assert max(file.stat().st_size for file in gallery) <= 1_500_000
    assert len([*site.glob("answers/*.html")]) == len(questions())
    assert methods().keys() <= Links(site / "docs" / "methods.html").ids
    assert len([file for file in site.rglob("*") if file.stat().st_size > 4_000_000]) == 1


@pytest.mark.parametrize("page", sorted(SCRIPTS.keys() - {"Methods"}))
def test_what_is_opened_live_says_the_same(site: Path, page: str) -> None:
    name = page.lower().replace("_", "-") or "home"
    text = (site / "gallery" / f"{name}.html").read_text(encoding="utf-8")
    for part in re.split('(?=<a class="live)', text)[1:]:
        (link,) = re.findall('^<a class="live[^>]+href="(.+?)"', part)
        query = dict(parse_qsl(urlsplit(link).query.replace("&amp;", "&"), True))
        shown = html(open_page(SCRIPTS[page], **query))
        for finding in re.findall('<div class="bx bx-finding">(.+?)</div>', part):
            assert finding in shown


@pytest.fixture(params=LOOKS, ids=str)
def tab(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Page]:
    """A tab in one look, without a cache; nothing complains, and no other host is asked."""
    scheme, width = request.param
    viewport: Any = {"width": width, "height": 900}
    context = browser.new_context(base_url=address, color_scheme=scheme, viewport=viewport)
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    yield page
    assert complaints == []
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    context.close()


def drawn(page: Page) -> int:
    """Wait until all pictures are drawn; how many there are."""
    figures = page.locator("figure[aria-label]")
    expect(figures.locator(".main-svg:first-child")).to_have_count(figures.count())
    return figures.count()


def test_a_visit(tab: Page, site: Path) -> None:
    pictures = 0
    for pattern in ("*", "gallery/*", *ALIKE):
        for file in site.glob(f"{pattern}.html"):
            tab.goto(f"/{file.relative_to(site)}")
            pictures += drawn(tab)
            assert violations(tab) == [], file
            assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), file
    assert pictures > len(all_sections())


def test_frames_play_in_either_look(tab: Page) -> None:
    """A change of the scheme draws a picture anew; Play moves it."""
    tab.goto("/gallery/word-in-context.html")
    drawn(tab)
    chart = "document.querySelector('.js-plotly-plot').layout"
    ground = tab.evaluate(f"{chart}.template.layout.paper_bgcolor")
    assert ground in ("#FFFFFF", "#12161D")
    tab.evaluate("theme => document.documentElement.dataset.theme = theme",
                 "light" if ground == "#12161D" else "dark")  # fmt: skip
    tab.wait_for_function(f"{chart}.template.layout.paper_bgcolor !== '{ground}'")
    drawn(tab)
    at = tab.evaluate(f"{chart}.sliders[0].active")
    tab.locator("figure .updatemenu-button").first.click()
    tab.wait_for_function(f"{chart}.sliders[0].active !== {at}")
