"""The section "what made this vector?", headless: an example, pasted numbers, files, and errors."""

import io
import json
import sys
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.encoder import Encoder
from bertviz_core.senses import text_vectors
from bertviz_core.ui import state
from tests.data.vector_files import npz_file
from tests.headless import bound, chart, charts, html, open_page, said, value, values
from tests.hostile import HOSTILE, assert_harmless
from tests.views.recipes import means

pytestmark = pytest.mark.usefixtures("fresh_caches")
PAGE, SECTION = "pages/6_Sentence_Vectors.py", "what made this vector?"
TEXTS = ["How old are you?", "My train leaves at noon."]


def opened(**query: str) -> AppTest:
    return open_page(PAGE, section=SECTION, **query)


def paste(app: AppTest, numbers: Any) -> AppTest:
    app.text_area(key="brought").set_value(str(numbers)).run()
    assert not app.exception
    return app


def upload(app: AppTest, content: bytes, name: str = "x.npz") -> AppTest:
    if app.get_by_key("vectorfrom").value != "a file":
        app.get_by_key("vectorfrom").set_value("a file").run()
    app.file_uploader(key="pairs").set_value((name, content, "")).run()
    assert not app.exception
    return app


def test_it_opens_on_an_example_that_follows_the_sentence() -> None:
    app = opened()
    numbers = app.text_area(key="brought").value
    assert {abs(int(one)) <= 127 for one in numbers.split()} == {True}
    assert value(app, "way") == "the mean of all tokens after layer 6"
    assert "int8" in value(app, "precision")
    assert "An example" in said(app)
    app.text_input(key="a").set_value("My train leaves at noon.").run()
    assert app.text_area(key="brought").value != numbers
    assert value(app, "way") == "the mean of all tokens after layer 6"
    paste(app, numbers)
    assert values(app, "count"), "of another sentence: none"
    app.text_input(key="a").set_value("How old are you?").run()
    assert app.text_area(key="brought").value == numbers, "what was pasted stays"
    assert value(app, "way") == "the mean of all tokens after layer 6"


def test_pasted_numbers_are_in_the_session_and_not_in_the_address(minilm_encoder: Encoder) -> None:
    row = means(minilm_encoder, TEXTS, layer=3)[0]
    app = paste(opened(), row.tolist())
    assert value(app, "way") == "the mean of all tokens after layer 3, not normalized"
    assert "An example" not in said(app)
    assert "brought" not in bound(app)
    assert "brought" not in app.query_params
    assert app.session_state["brought"] == str(row.tolist())
    assert chart(app, "recipe")["data"]
    app.switch_page("pages/1_Tokens.py").run()
    app.switch_page(PAGE).run()
    assert not app.exception
    assert value(app, "way") == "the mean of all tokens after layer 3, not normalized"


def test_it_costs_nothing_until_it_is_opened() -> None:
    sys.modules.pop("bertviz_core.ui.recipes", None)
    app = open_page(PAGE)
    assert "bertviz_core.ui.recipes" not in sys.modules
    assert [one.key for one in app.text_area] == ["others"]
    app.get_by_key("section").set_value(SECTION).run()
    assert value(app, "way") == "the mean of all tokens after layer 6"


def test_files(minilm_encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_vectors, "MAX_PAIRS", 20)
    rows = means(minilm_encoder, TEXTS)
    app = opened(a="another one")
    app.get_by_key("vectorfrom").set_value("a file").run()
    assert len(charts(app)) == 1
    assert "Give a vector, or a file" in said(app)
    upload(app, npz_file(t=TEXTS, v=rows.astype(np.float16)))
    assert [value(app, name) for name in ("alone", "pairs")] == ["2", "2"]
    upload(app, npz_file(t=TEXTS * 15, v=np.tile(rows, (15, 1))))
    assert [value(app, name) for name in ("most", "total", "alone")] == ["20", "30", "20"]
    pairs = [{"text": t, "vector": v.tolist()} for t, v in zip(TEXTS, rows, strict=True)]
    upload(app, json.dumps(pairs).encode(), "x.json")
    assert value(app, "alone") == "2"
    np.save(file := io.BytesIO(), rows[1])
    upload(app, file.getvalue(), "x.npy")
    assert values(app, "count"), "of another sentence"
    app.text_input(key="a").set_value(TEXTS[1]).run()
    assert value(app, "way") == "the mean of all tokens after layer 6, not normalized"
    assert app.session_state[state.KEY].uploads["pairs"]
    app.get_by_key("vectorfrom").set_value("numbers").run()
    assert "An example" in said(app)


@pytest.mark.parametrize(
    ("brought", "problem"),
    [
        ("", "Give a vector"),
        ("asdf", "Numbers found: 0"),
        ("0.1 " * 768, "Numbers found: 768"),
        ("0 " * 384, "zeros"),
        ("nan " * 384, "NaN"),
        ("1 " * 30_000, "not JSON, NPY or NPZ"),
    ],
)
def test_what_is_no_vector(brought: str, problem: str) -> None:
    app = paste(opened(), brought)
    assert problem in said(app)
    assert len(charts(app)) == 1


def test_hostile_numbers_files_and_sentences() -> None:
    app = opened()
    numbers = app.text_area(key="brought").value
    for text in HOSTILE:
        assert_harmless(paste(app, text), text)
    for text in (" ", "word " * 600, "<script>alert(1)</script>"):
        app.text_input(key="a").set_value(text)
        assert_harmless(paste(app, numbers), text)
        assert "bx-alert" in html(app) or values(app, "way")
    for text in HOSTILE:
        name = f"{text[:40]}\0".replace("\0", "")
        assert_harmless(upload(app, npz_file(**{"v": np.eye(2, 5), "t": [name, "b"]})), text)
    assert_harmless(upload(app, b"hello world " * 420_000, "x.json"))


def test_a_projector_shows_one_line_in_place_of_the_numbers() -> None:
    app = opened(present="light")
    assert "<bdi>a vector from numbers</bdi>" in html(app)
    assert value(app, "way") == "the mean of all tokens after layer 6"
