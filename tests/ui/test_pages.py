"""Every page, headless: its example, where its links lead, and as a frame of another site."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from bertviz_core.ui.page import PAGES as LISTED
from tests.headless import charts, html, open_page

pytestmark = pytest.mark.usefixtures("fresh_caches", "kept_caches")

PAGES = [entry.script for entry in LISTED]
TEXT_ONLY = ("pages/9_Methods.py",)
# Without torch these say so as a sentence, and their first picture is missing.
WITH_TORCH = ("app.py", "pages/4_Word_in_Context.py", "pages/6_Sentence_Vectors.py")


@pytest.mark.parametrize("script", PAGES)
def test_it_opens_and_its_prepared_links_lead_to_their_views(script: str) -> None:
    app = open_page(script)
    page = html(app)
    assert "bx-alert" not in page
    themes = {chart.proto.theme for chart in app.get("plotly_chart")}
    assert themes <= {""}, "Streamlit's own theme would take the template's place"
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


def test_a_value_that_is_not_offered_is_dropped() -> None:
    app = open_page("pages/7_Positions_and_Segments.py", row="9999", column="3", zoom="<b>some</b>")
    assert "some" not in html(app)
    assert (app.session_state["row"], app.session_state["column"]) == (100, 3)


# With inputs that would show more than one picture, or run for long.
QUERIES: dict[str, dict[str, str]] = {
    "app.py": {"a": "dog dog dog"},
    "pages/2_Input_Embeddings.py": {"a": "I am Sinan", "section": "the proof"},
    "pages/3_Nearest_Neighbors.py": {"q": "dog", "q2": "cat"},
    "pages/4_Word_in_Context.py": {"layer": "2", "section": "which context word did it?"},
    "pages/5_Word_Senses.py": {"set": "python", "present": "dark"},
}


@pytest.mark.parametrize("script", PAGES)
def test_one_picture_with_its_finding(script: str) -> None:
    if script in WITH_TORCH:
        pytest.importorskip("torch")
    query = QUERIES.get(script, {})
    app = open_page(script, is_embedded=True, **query)
    count = 0 if script in TEXT_ONLY else 1
    assert len(charts(app)) == count
    assert html(app).count("bx-finding") == count
    assert not app.dataframe
    assert not any(fold.proto.query_param_key for fold in app.main.expander)
    assert "bx-alert" not in html(app)
    (back,) = re.findall(r'class="bx bx-back" href="([^"]*)"', html(app))
    assert dict(parse_qsl(unescape(back).removeprefix("?"))) == query
    (style,) = (e.proto.body for e in app.get("html") if "<style>" in e.proto.body)
    assert ".bx-back" in style
    assert "font-size: 22px" not in style  # a frame is not a projector
