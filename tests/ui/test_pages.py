"""Every page, headless: its example, and where its links lead."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.ui import sections
from tests.headless import ROOT, charts, html, open_page, value

pytestmark = pytest.mark.usefixtures("fresh_caches")

PAGES = ["app.py", *sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py"))]
TEXT_ONLY = ("pages/8_Methods.py",)


@pytest.mark.parametrize("script", PAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_opens_on_an_example(script: str, theme: str) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.context = {"theme": theme}
    app.run()
    if script != "app.py":
        app.switch_page(script).run()
    assert not app.exception
    assert app.title[0].value.strip()
    assert "bx-alert" not in html(app)
    for chart in app.get("plotly_chart"):
        assert len(chart.proto.alt) > 40
    if script not in TEXT_ONLY:
        assert charts(app) or app.dataframe


def test_home_names_the_model() -> None:
    app = open_page("app.py")
    told = [value(app, name) for name in ("model", "vocabulary", "size", "layers")]
    assert told == ["all-MiniLM-L6-v2", "30,522", "384", "6"]


@pytest.mark.parametrize("script", PAGES)
def test_prepared_links_lead_to_their_views(script: str) -> None:
    links = {unescape(link) for link in re.findall(r'href="([^"]+)"', html(open_page(script)))}
    of_the_tour = re.compile("(tour|stop)=")
    prepared = [urlsplit(link) for link in links if "?" in link and not of_the_tour.search(link)]
    for link in prepared:
        ending = f"_{link.path}.py" if link.path else "app.py"
        (script,) = [page for page in PAGES if page.endswith(ending)]
        query = dict(parse_qsl(link.query))
        view = open_page(script, **query)
        assert "bx-alert" not in html(view), link
        assert charts(view) or view.dataframe or view.button, link
        for key, text in query.items():
            assert str(view.session_state[key]).lower() == text.lower(), (link, key)


@pytest.mark.parametrize(
    ("script", "key", "old", "shown"),
    [
        ("pages/2_Input_Embeddings.py", "look", "whose vector is it", sections.SHARES),
        ("pages/4_Word_in_Context.py", "deeper", "the ruler", sections.PERCENTILES),
    ],
)
def test_a_link_with_the_old_name_of_a_section(script: str, key: str, old: str, shown: str) -> None:
    app = open_page(script, **{key: old})
    control = app.segmented_control(key=key)
    assert (control.value, app.session_state[key]) == (shown, shown)
    assert old not in control.options
    other = next(option for option in control.options if option != shown)
    control.set_value(other).run()  # the address still holds the old name
    assert app.segmented_control(key=key).value == other
