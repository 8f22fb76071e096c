"""The model in use, headless: not ready, a folder of the operator's, wrongly set."""

import re
from pathlib import Path

import pytest

from tests.headless import charts, html, open_page, said, value

pytestmark = pytest.mark.usefixtures("fresh_caches")

EMBEDDINGS, NEIGHBORS = "pages/2_Input_Embeddings.py", "pages/3_Nearest_Neighbors.py"


def test_a_model_that_is_not_ready_is_said_and_the_page_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BERTVIZ_MODELS", "gone=/no/such/folder")
    app = open_page(EMBEDDINGS)
    app.selectbox(key="model").set_value("bert-large-uncased").run()
    assert not app.exception
    assert value(app, "problem") == "bert-large-uncased is not on this machine yet."
    assert value(app, "fallback") == "all-MiniLM-L6-v2"
    assert app.button(key="download_model").label == "Download bert-large-uncased, 1,345 MB"
    assert charts(app)
    listed = [text.value for text in app.text]
    assert "all-MiniLM-L6-v2: ready" in listed
    assert "bert-base-cased: bert-base-cased is not on this machine yet." in listed
    app.selectbox(key="model").set_value("gone").run()
    assert not app.exception
    assert "The folder set for gone does not exist" in html(app)
    assert "/no/such/folder" not in html(app)
    assert charts(app)


@pytest.mark.usefixtures("tiny_on_offer")
def test_prepared_links_keep_the_model() -> None:
    app = open_page(NEIGHBORS)
    assert "model=" not in html(app)
    app.selectbox(key="model").set_value("tiny").run()
    links = re.findall(r'href="([^"]+)"', html(app))
    prepared = [link for link in links if not link.startswith("Methods?")]  # one text for all
    assert prepared
    assert all("model=tiny" in link for link in prepared)


def test_a_visitor_cannot_name_a_path(tiny_folder: Path) -> None:
    app = open_page("app.py", model=str(tiny_folder))
    assert app.selectbox(key="model").value == "all-MiniLM-L6-v2"


def test_a_wrong_setting_of_the_operators_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTVIZ_MODEL", "gpt-2")
    app = open_page("app.py")
    assert "BERTVIZ_MODEL is “gpt-2”; expected one of all-MiniLM-L6-v2" in said(app)
