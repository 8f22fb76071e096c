"""Every page and section, with any text and any checkpoint: a result, or a sentence."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.contextual import occlusion
from bertviz_core.positions.changes import CHANGES
from bertviz_core.ui.page import PAGES as LISTED
from bertviz_core.views.declare import sections_of
from tests.data.odd_checkpoints import ODD
from tests.headless import charts, html, open_page
from tests.hostile import HOSTILE, assert_harmless
from tests.ui.test_pages import PAGES, TEXT_ONLY

pytestmark = pytest.mark.usefixtures("fresh_caches")

TOKENS, EMBEDDINGS, NEAREST, CONTEXT, _, _, POSITIONS, INSIDE = PAGES[1:9]


def views_of(page: str) -> list[dict[str, str]]:
    """What the address of a page asks for in each of its views."""
    views = [{"section": one.label} for one in sections_of(TITLES[page])]
    if page == POSITIONS:
        views += [{"section": "experiments", "change": change} for change in CHANGES[1:]]
    return views if views and page != NEAREST else [{}, *views]


TITLES = {page.script: page.title for page in LISTED}
VIEWS = {page: views_of(page) for page in PAGES if page not in TEXT_ONLY}
MODELS = (
    ("one_segment", "no_post_processor_and_no_class"),
    ("three_positions",),
    ("fewer_layers_than_the_file", "other_names_of_special_tokens"),
)
# Keys of sentences A and B on the pages that have both; A holds no word that the tiny model knows.
PAIRS = dict.fromkeys((TOKENS, EMBEDDINGS), ("a", "b")) | {POSITIONS: ("a", "xb")}
UNKNOWN = ("zebra quagga", "a dog")
BRACKETS = "{curly} {0} %s \\ \\[ ]] [[ [SEP] [MASK] ##"
# Every page has met each of these alone in other tests; here what can be read in one go is.
TEXTS = (
    "",
    " ".join(text for text in HOSTILE if text != BRACKETS and len(text) < 1000),
    BRACKETS,
    "x" * 1000 + " word é" * 570,
)
MARKED = ("[a] [b] [c]", "[PAD] <b>我</b> [<i>] [PAD] [🐍] \x00")


@pytest.mark.usefixtures("tiny_on_offer")
@pytest.mark.parametrize("page", VIEWS)
def test_any_text(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(occlusion, "MAX_WORDS", 3)
    texts = TEXTS + MARKED * (page in (CONTEXT, INSIDE))
    for query in VIEWS[page]:
        app = open_page(page, **query)
        _run_all(app)
        for text in texts:
            if len(text) > 1000 and page == POSITIONS:
                continue  # two passes over all positions; test_positions.py has one such text
            if not (fields := [*app.text_input, *app.text_area]):
                break
            for field in fields:
                field.set_value(text)
            app.run()
            assert_harmless(app, f"{query}: {text}")
            assert charts(app) or app.dataframe or "bx-" in html(app), (query, text)
            assert all(len(chart.proto.alt) > 40 for chart in app.get("plotly_chart")), query


@pytest.mark.filterwarnings("error::RuntimeWarning")  # a division by nothing, a mean of none
@pytest.mark.parametrize("names", MODELS, ids="-".join)
def test_any_checkpoint(names: tuple[str, ...], mine: Path) -> None:
    for name in names:
        ODD[name](mine)
    for page, query in ((page, query) for page, queries in VIEWS.items() for query in queries):
        pair = dict(zip(PAIRS.get(page, ()), UNKNOWN, strict=False))
        app = open_page(page, **query, **pair)
        assert "This page shows" not in html(app)  # it is this model that is shown
        _run_all(app)
        assert not app.exception, (page, query)
        for field in app.text_input:
            field.set_value("")
        _run_all(app.run())
        assert not app.exception, (page, query)
        assert charts(app) or app.dataframe or "bx-" in html(app)


@pytest.mark.usefixtures("tiny_on_offer")
@pytest.mark.parametrize(
    ("page", "query", "expected"),
    [
        (EMBEDDINGS, {"section": "what LayerNorm does", "dim": "300", "token": "6"}, {"token": 6}),
        (CONTEXT, {"layer": "5"}, {"layer": 2}),
        (POSITIONS, {"section": "against sinusoids", "row": "300"}, {"row": 15}),
        (POSITIONS, {"section": "segment table"}, {}),
    ],
    ids=str,
)
def test_what_the_new_model_lacks(
    page: str, query: dict[str, str], expected: dict[str, object]
) -> None:
    """Changing the model leaves no slider beyond its end."""
    app = open_page(page, **query)
    for key in expected:
        assert app.session_state[key] == type(app.session_state[key])(query[key])
    app.selectbox(key="model").set_value("tiny").run()
    assert not app.exception
    assert not app.warning
    assert "bx-alert" not in html(app)
    assert charts(app)
    assert {key: app.session_state[key] for key in expected} == expected


def _run_all(app: AppTest) -> None:
    """Click what runs the model, one button after the other."""
    for key in [button.key for button in app.button if (button.key or "").startswith("run")]:
        if not app.exception and any(button.key == key for button in app.button):
            app.button(key=key).click().run()
