"""What a link may carry: the table of keys, and the pages."""

import pytest

from bertviz_core.ui import frame
from tests import link_keys
from tests.headless import html, open_page, values

pytestmark = pytest.mark.usefixtures("fresh_caches", "kept_caches")

SCRIPTS = {page.title: page.script for page in frame.pages()}


def test_every_page_is_listed() -> None:
    assert set(link_keys.FIELDS) == set(SCRIPTS)


def test_what_is_not_offered_is_said() -> None:
    page = SCRIPTS["Input Embeddings"]
    others = {"utm_source": "mail", "zoom": "2"}  # keys of others are passed over
    app = open_page(page, dims="<b>some</b>", section="the essence", variable="9", **others)
    assert values(app, "not-offered") == ["<b>some</b>", "the essence"]
    assert values(app, "field") == ["Dimensions", "Look closer at"]
    assert "<b>some</b>" not in html(app)
    app.segmented_control(key="dims").set_value("most variable").run()
    assert app.slider(key="variable").value == 9
    assert values(app, "not-offered") == []


def test_numbers_that_are_not_offered_are_said() -> None:
    app = open_page(SCRIPTS["Positions and Segments"], row="9999", column="3")
    assert values(app, "not-offered") == ["9999"]
    assert values(app, "field") == ["Position i"]
    assert (app.session_state["row"], app.session_state["column"]) == (100, 3)
    for position, asked in (("4", ["4"]), ("3", [])):
        app = open_page(SCRIPTS["Input Embeddings"], a="the cat", token=position)
        assert values(app, "not-offered") == asked
    app = open_page(SCRIPTS["Tokens"], model="gpt2")
    assert values(app, "not-offered") == ["gpt2"]
