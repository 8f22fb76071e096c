"""What a link may carry: the table of keys, the pages, and docs/links.md."""

from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.ui import frame
from bertviz_core.ui.address import with_new_keys
from bertviz_core.ui.links import cut_to_carry
from bertviz_core.views.declare import all_sections
from scripts import link_keys
from tests.headless import html, open_page

pytestmark = pytest.mark.usefixtures("fresh_caches", "kept_caches")

SCRIPTS = {page.title: page.script for page in frame.pages()}


def test_every_page_is_listed() -> None:
    assert set(link_keys.FIELDS) == set(SCRIPTS)


def test_what_is_not_offered_is_dropped() -> None:
    app = open_page(SCRIPTS["Positions and Segments"], row="9999", column="3", zoom="<b>some</b>")
    assert "some" not in html(app)
    assert (app.session_state["row"], app.session_state["column"]) == (100, 3)
    app = open_page(SCRIPTS["Tokens"], model="gpt2")
    assert app.selectbox(key="model").value == "all-MiniLM-L6-v2"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"s": "a [bat]\n\nthe bat"}, {"a": "a [bat]", "a2": "the bat", "more": ""}),
        ({"s": "1\n2\n3\n4", "layer": "2"}, {"a": "1", "a2": "2", "more": "3\n4", "layer": "2"}),
        ({"s": "one"}, {"a": "one", "a2": "", "more": ""}),
        ({"sentences": "1\n2\n3", "typed": "x"}, {"a": "1", "others": "2\n3"}),
        ({"xa": "a dog", "xb": ""}, {"a": "a dog", "xb": ""}),
        ({"q": "dog", "typed": "mine"}, {"q": "dog", "a": "mine"}),
        ({"a": "theirs", "typed": "mine"}, {"a": "theirs"}),
        ({"a": "theirs", "typed": ""}, {"a": "theirs"}),
    ],
)
def test_older_links_get_the_keys_of_today(old: dict[str, str], new: dict[str, str]) -> None:
    assert with_new_keys(old) == new
    assert with_new_keys(new) == new


def test_an_older_link_opens_its_page() -> None:
    app = open_page(SCRIPTS["Word in Context"], s="a [bat] flew\nthe bat swung\nbats", layer="2")
    assert [app.text_input(key=key).value for key in ("a", "a2")] == [
        "a [bat] flew",
        "the bat swung",
    ]
    assert app.text_area(key="more").value == "bats"
    assert app.slider(key="layer").value == 2


@given(text=st.text(max_size=60))
def test_a_text_comes_back_from_an_address(text: str) -> None:
    carried = cut_to_carry(text)
    address = urlencode({"a": carried})
    assert parse_qs(address, keep_blank_values=True) == {"a": [carried]}
    assert carried == without_lone_surrogates(text)


def test_a_key_is_of_one_kind_of_field_on_all_pages() -> None:
    """A value goes along from page to page; a field of another kind could not hold it."""
    kinds: dict[str, set[type]] = {}
    for section in all_sections():
        for field in section.fields.values():
            kinds.setdefault(field.key, set()).add(type(field))
    assert not {key: found for key, found in kinds.items() if len(found) > 1}
