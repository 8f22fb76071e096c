"""Home: two sentences and what becomes of a word, headless; and the sentence on other pages."""

import re
from html import unescape
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.ui.state import CARRIED, cut_to_carry
from tests.headless import charts, html, open_page

pytestmark = pytest.mark.usefixtures("fresh_caches")


def links(app: AppTest, page: str) -> list[dict[str, str]]:
    """The inputs of all links to a page."""
    found = (urlsplit(unescape(link)) for link in re.findall(r'href="([^"]+)"', html(app)))
    return [
        {key: text for key, (text,) in parse_qs(link.query, keep_blank_values=True).items()}
        for link in found
        if link.path == page
    ]


def test_no_sentence_or_only_the_second() -> None:
    app = open_page("app.py")
    app.text_input(key="a").set_value("")
    for second, pictures in (("", 2), ("the old bank", 3)):
        app.text_input(key="a2").set_value(second).run()
        assert not app.exception
        assert "bx-alert" not in html(app)
        assert len(charts(app)) == pictures


def test_links_carry_both_sentences() -> None:
    app = open_page("app.py")
    pythons = {"a": "I love my pet python", "b": "I love coding in python"}
    assert links(app, "Input_Embeddings")[0] == pythons
    app.text_input(key="ask").set_value("Sentence Vectors").run()
    assert links(app, "Sentence_Vectors")[0] == {}, "nobody has typed a sentence"
    app.text_input(key="a").set_value("the old bank & the river").run()
    app.text_input(key="a2").set_value("a bank of snow").run()
    app.text_input(key="word").set_value("river").run()
    carried = {"a": "the old bank & the river", "a2": "a bank of snow", "word": "river"}
    assert links(app, "Word_in_Context")[0] == carried
    assert links(app, "Sentence_Vectors")[0] == carried


def test_a_sentence_stands_on_every_page_until_then_its_example() -> None:
    """On the page of Sentence Vectors it is typed, on others it is found."""
    app = open_page("app.py").switch_page("pages/1_Tokens.py").run()
    assert app.text_input(key="a").value == "Sinan loves awesomesauce at the café!"
    app.switch_page("pages/4_Word_in_Context.py").run()
    pythons = ["I love my pet python", "I love coding in python"]
    assert [app.text_input(key=key).value for key in ("a", "a2")] == pythons
    app.switch_page("pages/6_Sentence_Vectors.py").run()
    app.text_input(key="a").set_value("a seal barked").run()
    app.switch_page("pages/3_Nearest_Neighbors.py").run()
    app.switch_page("app.py").run()
    assert [app.text_input(key=key).value for key in ("a", "a2")] == ["a seal barked", ""]
    app.text_input(key="a2").set_value("a seal of wax").run()
    app.switch_page("pages/2_Input_Embeddings.py").run()
    assert app.text_input(key="a").value == "a seal barked"
    app.number_input(key="token").set_value(3).run()  # a token that was looked at is followed
    app.switch_page("pages/4_Word_in_Context.py").run()
    assert app.text_input(key="word").value == "barked"
    assert [app.text_input(key=key).value for key in ("a", "a2")] == [
        "a seal barked",
        "a seal of wax",
    ]


def test_what_a_link_carries_is_cut() -> None:
    assert cut_to_carry("a" * 5000) == "a" * CARRIED
    assert cut_to_carry("我" * 5000) == "我" * (CARRIED // 9)


@given(text=st.text(max_size=60))
@example(text="\ud800x")
def test_a_text_comes_back_from_an_address(text: str) -> None:
    carried = cut_to_carry(text)
    address = urlencode({"a": carried})
    assert parse_qs(address, keep_blank_values=True) == {"a": [carried]}
    assert carried == without_lone_surrogates(text)


def test_the_static_site_is_linked_where_the_operator_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def linked() -> set[str]:
        app = open_page("pages/2_Input_Embeddings.py")
        app.button(key="share").click().run()
        return set(re.findall(r'href="([^"?]*)', html(app)))

    site, before = "https://site.example.org", linked()
    monkeypatch.setenv("BERTVIZ_SITE", f"{site}/")
    gallery, method = f"{site}/gallery/index.html", f"{site}/docs/methods.html"
    assert {one.partition("#")[0] for one in linked() - before} == {gallery, method}
