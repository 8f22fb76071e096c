"""Every page, headless: its example, and where its links lead."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.ui import frame
from bertviz_core.ui.views import CARD, SHORT
from tests.headless import ROOT, charts, html, open_page

pytestmark = pytest.mark.usefixtures("fresh_caches", "kept_caches")

PAGES = [entry.script for entry in frame.pages()]
TEXT_ONLY = ("pages/9_Methods.py",)


@pytest.mark.parametrize("script", PAGES)
def test_opens_on_an_example(script: str) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if script != "app.py":
        app.switch_page(script)
    for theme in ("light", "dark"):
        app.context = {"theme": theme}
        app.run()
        assert not app.exception
        assert app.title[0].value.strip()
        assert "bx-alert" not in html(app)
        for chart in app.get("plotly_chart"):
            assert len(chart.proto.alt) > 40
        if script not in TEXT_ONLY:
            assert charts(app) or app.dataframe


@pytest.mark.parametrize("script", PAGES)
def test_prepared_links_lead_to_their_views(script: str) -> None:
    links = {unescape(link) for link in re.findall(r'href="([^"]+)"', html(open_page(script)))}
    prepared = [urlsplit(link) for link in links if re.search(r"\?(?!find=)", link)]
    for link in prepared:
        ending = f"_{link.path}.py" if link.path else "app.py"
        (script,) = [page for page in PAGES if page.endswith(ending)]
        query = dict(parse_qsl(link.query))
        view = open_page(script, **query)
        assert "bx-alert" not in html(view), link
        assert charts(view) or view.dataframe or view.button, link
        for key, text in query.items():
            kept = view.session_state[key]
            kept = view.session_state[CARD] if kept == SHORT else kept
            assert str(kept).lower() == text.lower(), (link, key)
