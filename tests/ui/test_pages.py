"""Every page, headless: its example, and where its links lead."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from bertviz_core.ui import frame
from tests.headless import charts, html, open_page

pytestmark = pytest.mark.usefixtures("fresh_caches", "kept_caches")

PAGES = [entry.script for entry in frame.pages()]
TEXT_ONLY = ("pages/9_Methods.py",)


@pytest.mark.parametrize("script", PAGES)
def test_it_opens_and_its_prepared_links_lead_to_their_views(script: str) -> None:
    page = html(open_page(script))
    assert "bx-alert" not in page
    links = {unescape(link) for link in re.findall(r'href="([^"]+)"', page)}
    prepared = [urlsplit(link) for link in links if re.search(r"\?(?!find=)", link)]
    for link in prepared:
        ending = f"_{link.path}.py" if link.path else "app.py"
        (script,) = [page for page in PAGES if page.endswith(ending)]
        query = dict(parse_qsl(link.query))
        view = open_page(script, **query)
        assert "bx-alert" not in html(view), link
        assert charts(view) or view.dataframe or view.button, link
        for key, text in query.items():
            assert str(view.session_state[key]).lower() == text.lower(), (link, key)
