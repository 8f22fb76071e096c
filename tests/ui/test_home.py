"""Home: one sentence and what becomes of it, headless; and the sentence on the pages after it."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from bertviz_core.ui.links import ADDRESS, CARRIED, cut_to_carry
from tests.headless import charts, chip_rows, html, open_page, value

pytestmark = pytest.mark.usefixtures("fresh_caches")


def links(app: AppTest, page: str) -> list[dict[str, str]]:
    """The inputs of all links to a page."""
    found = (urlsplit(unescape(link)) for link in re.findall(r'href="([^"]+)"', html(app)))
    return [
        {key: text for key, (text,) in parse_qs(link.query, keep_blank_values=True).items()}
        for link in found
        if link.path == page
    ]


def test_a_tapped_token_and_its_path() -> None:
    app = open_page("app.py", a="the bank of the river")
    assert chip_rows(app)[0]["selected"] == [5]
    app.number_input(key="token").set_value(2).run()
    assert value(app, "token") == "bank"
    assert chip_rows(app)[0]["selected"] == [2]
    app.number_input(key="token").set_value(700).run()
    assert value(app, "token") == "river"
    assert len(charts(app)) == 1
    app.button(key="run_model").click().run()
    assert float(value(app, "start")) < 1
    assert len(charts(app)) == 1
    app.text_input(key="a").set_value("a brook").run()  # by itself from now on
    assert (value(app, "token"), bool(value(app, "start"))) == ("brook", True)


def test_links_carry_the_sentence() -> None:
    app = open_page("app.py")
    assert links(app, "Input_Embeddings")[0] == links(app, "Word_in_Context")[0] == {}
    assert links(app, "")[0] == {"a": "dog dog dog", "typed": ""}  # nobody has typed that
    app.text_input(key="a").set_value("the old bank & the river").run()
    typed = {"typed": "the old bank & the river"}
    assert links(app, "Input_Embeddings")[0] == typed
    marked = {"s": "the old bank & the [river]"} | typed
    assert links(app, "Word_in_Context")[0] == marked
    app.number_input(key="token").set_value(3).run()
    assert links(app, "Word_in_Context")[0] == {"s": "the old [bank] & the river"} | typed
    assert links(app, "Input_Embeddings")[0] == {"token": "3"} | typed


def test_what_nobody_typed_stays_on_its_page() -> None:
    app = open_page("pages/1_Tokens.py", a="I am Sinan")  # from a link
    app.switch_page("app.py").run()
    assert app.text_input(key="a").value == "I am Sinan"
    app = open_page("app.py").switch_page("pages/1_Tokens.py").run()
    assert app.text_input(key="a").value == "Sinan loves awesomesauce at the café!"
    app.switch_page("pages/4_Word_in_Context.py").run()
    assert app.text_area(key="s").value == ("I love my pet [python]\nI love coding in [python]")
    # Lines that were typed below the first stay.
    app.text_area(key="s").set_value("a [seal] swam\nthe wax [seal] broke").run()
    app.switch_page("pages/1_Tokens.py").run()
    assert app.text_input(key="a").value == "a seal swam"
    app.text_input(key="a").set_value("a seal barked").run()
    app.switch_page("pages/4_Word_in_Context.py").run()
    assert app.text_area(key="s").value == "a seal [barked]\nthe wax [seal] broke"


def test_what_a_link_carries_is_cut() -> None:
    assert cut_to_carry("a" * 5000) == "a" * CARRIED
    assert cut_to_carry("我" * 5000) == "我" * (ADDRESS // 9)
    assert cut_to_carry("\ud800x") == "\ufffdx"
